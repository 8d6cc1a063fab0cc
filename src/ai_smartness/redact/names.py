"""The words that name a secret, in the languages of the people who write them."""

__all__ = ["NAME_STEMS", "PASSWORD_WORDS", "SECRET_WORDS"]

PASSWORD_WORDS = (
    *("kennwort", "passwort", "losungswort", "wachtwoord", "lösenord", "adgangskode", "passord"),
    *("mot de passe", "mot_de_passe", "mdp", "contraseña", "contrasena", "senha", "palavra-passe"),
    *("parola", "parolă", "parole", "parool", "hasło", "haslo", "heslo", "jelszó", "jelszo"),
    *("geslo", "lozinka", "slaptažodis", "salasana", "şifre", "sifre", "κωδικός", "κωδικο"),
    *("пароль", "пароля", "паролю", "парола", "лозинка", "سر المرور", "كلمة المرور", "كلمة السر"),
    *("رمز عبور", "סיסמה", "סיסמא", "पासवर्ड", "পাসওয়ার্ড", "รหัสผ่าน", "mật khẩu"),
    *("kata sandi", "kata laluan", "密码", "密碼", "口令", "パスワード", "暗証番号"),
    *("비밀번호", "비번", "암호", "패스워드"),
)
"""Whole words for a password; English ones have many forms and stand in `assignments.py`."""

SECRET_WORDS = (
    *("geheimnis", "schlüssel", "clé", "clave", "chave", "chiave", "secreto", "segredo", "jeton"),
    *("токен", "секрет", "ключ", "令牌", "密钥", "密鑰", "秘钥", "トークン", "キー"),
    *("토큰", "시크릿"),
)
"""Whole words for a token or a key: what follows must look like one."""

NAME_STEMS = (
    *("pass", "pasw", "psw", "pssw", "psd", "psk", "pw", "secret", "token", "key", "auth", "cred"),
    *("salt", "jwt", "otp", "api", "pin", "bearer"),
    *(word for word in PASSWORD_WORDS if "pass" not in word),
    *SECRET_WORDS,
)
"""Every name of a secret contains one of these, in lower case."""
