"""How common words are before a project has said anything.

A prior, not a stop list: it weighs like twenty threads and is outvoted by what
a project says itself. Shares are of the conversations that contain the word.
"""

__all__ = [
    "GRAMMAR_SHARE",
    "SMALL_TALK_SHARE",
    "begins_statement",
    "conversation_share",
    "is_negation",
]

GRAMMAR_SHARE = 0.8
"""The share of the words that hold sentences together."""

SMALL_TALK_SHARE = 0.35
"""The share of the words that any work with an agent is full of."""

EVERYDAY_SHARE = 0.12
"""The share of the words one says of anything: seems, quite, remain, outside."""

UNKNOWN_SHARE = 0.02
"""The share of a word of which nothing is known."""

UNKNOWN_SHORT_SHARE = 0.06
"""The share of an unknown word of one to three Latin letters: more often small than telling."""

SHORT_CHARACTERS = 3

_ENGLISH = """
the of and to in a is that it for on with as this be are you i we not or by from at have has was
can will do does did an but if so all my your our me there no just what when how which should
would could also into them they its it's don't only then than more any some one two up out about
now like been were he she his her their us get got let lets let's ok okay yes please want need
make sure i'll i'd i'm i've we're we've it'll that's there's here's what's you're isn't aren't
wasn't doesn't didn't can't couldn't won't shouldn't these those both each every other another
same such very too over under after before again still already yet here where why who because
while during between through without within per via vs etc off down back own may might must
being had use using used upon onto around against across along among until unless else much most
think guess wonder wondering believe hope maybe actually really
"""

_FRENCH = """
le la les de des du un une et à en est que qui pas ne je tu il elle nous vous ils elles pour dans
sur avec ce cet cette ces se sa son ses leur leurs au aux plus par ou mais on y si être sont était
fait faire bien tout tous toute toutes aussi comme peux peut peut-on veux j'ai c'est n'est qu'il
qu'on d'un d'une l' d' merci mon ma mes ton ta tes notre nos votre vos moi toi lui quand où donc
car sans sous entre chez depuis encore déjà très ici là ça cela ceci a ai as avons avez ont suis
es sommes êtes s'il te plaît voudrais faut il-faut y-a-t-il d'accord oui non alors peux-tu
pouvez-vous pourrais-tu pourriez-vous est-ce
"""

_GERMAN = """
der die das und ist nicht ein eine einen einem einer eines zu den dem des im in von vom mit für
auf sich auch es ich du wir ihr sie er wie aber oder wenn noch nur dass kann kannst können bitte
wird werden wurde sind war waren hat haben hatte nach bei beim aus um am an zum zur so mal schon
hier da dann denn weil als über unter vor durch ohne gegen zwischen mein meine dein deine unser
unsere ihre seine sein kein keine alle alles diese dieser dieses diesen diesem was wer wo warum
soll sollte müssen muss möchte will mir dir uns euch mich dich ihm ihn ihnen sehr mehr ja nein
danke ob doch etwas wieder immer jetzt
"""

_SPANISH = """
el la los las que y en un una unos unas por con para no se lo le les es su sus al del de como más
pero ya o este esta estos estas ese esa esos esas sí si porque son está están hay ser fue me te
nos mi tu nuestro nuestra yo él ella ellos cuando donde qué cómo cuál también muy sin sobre entre
hasta desde todo toda todos todas puede puedes puedo hacer hace favor quiero necesito tengo tiene
gracias otro otra aquí ahora algo nada
"""

_PORTUGUESE = """
e o a os as que do da dos das em um uma uns umas para é com não no na nos nas se por mais como mas
foi ao aos à ele ela eles tem seu sua seus suas ou quando muito já também só pelo pela até isso
isto ser está são você eu nós me te lhe este esta esse essa quero preciso pode podemos fazer favor
obrigado aqui agora
"""

_ITALIAN = """
il lo la i gli le un uno una di a da in con su per tra fra e o ma che non è sono si del della dei
delle dello al alla ai alle nel nella dal dalla sul sulla come più anche se questo questa questi
queste mi ti ci vi io tu noi voi lui lei loro cosa quando dove perché puoi può fare grazie
"""

_DUTCH = """
de het een en van ik te dat die in is niet op aan met als voor zijn er maar om hem dan of wat mijn
dit zo door over ze je bij ook tot uit naar heb heeft hebben kan kun kunnen moet wil wel geen nog
deze waar wie hoe waarom graag bedankt
"""

_RUSSIAN = """
и в во не на я что он она оно с со как это по но они мы а к ко у же ты вы за бы от для из о об так
его её их все всё мне меня тебя нас вас было был была были быть если или уже нет да при ли чтобы
нужно надо можно может есть тут там только ещё этот эта эти этого этой этом тоже давай пожалуйста
когда где почему который которая которые которое до после без над под между через два две три один
одна мой моя наш наша ваш свой себя то та тот те чем очень сейчас теперь здесь хочу спасибо
"""

_POLISH = """
i w we z ze na do nie się to jest że o od po za jak co ale czy tak dla przez przy już tylko może
jego jej ich ten ta te tego tej tym być był była są proszę mi mnie mam ma gdy jeśli oraz lub
"""

# Single characters: scripts without spaces are read character by character. Those that are
# as often a part of telling words (会 in 会话, 能 in 功能) are only small talk.
_CHINESE = " ".join("的了是我你他她它们在和就都也吗吧呢啊把被给请帮这那还但或很让与")
_CHINESE_PARTS = " ".join("不有人对要会能一个下可以没什么怎因为所如果然后需看做想谢")

_WORK = """
add added adding fix fixed fixes fixing change changes changed changing check checking update
updated updates create created creating implement implementation implemented plan run running ran
test tests testing file files code look looking see find found work works working done new first
next last following issue issues error errors problem question way thing things good right wrong
think know try trying start starting started read write show shows remove removed move set put take
go going come keep call called calls give say said tell understand understanding context current
currently existing clean pass passes passed fail fails failed failing build main branch commit
commits committed push pushed pull pr merge merged review approach option options step steps task
tasks summary details detail note everything something anything nothing actually really simply
maybe probably instead directly correct correctly properly proper clear better best full complete
completed ready default case cases example user users line lines name names type types value values
section sections part point key keys list project repo repository version local usage support
supports supported handle handles handled include includes related relevant specific based base
below above left side many few several once since however therefore though although whether either
great perfect nice cool thanks thank thx sorry hello hi hey help verify verified confirm confirmed
makes making made investigate analysis analyze output result results status apply applied resolve
resolved ensure explore launch agent agents quick quickly small command commands tool tools message
messages text data content number time day today bunch bit lot different similar available missing
continue proceed yep yeah sure alright fine wait stop
def return class import function const var let public private static void async await null none true
false print self
ajoute ajouter corrige corriger modifie modifier vérifie vérifier fais voir regarde parfait bonjour
salut continue vas-y super fichier problème erreur
erstelle erstellen ändere ändern füge hinzu mach mache machen prüfe prüfen schau gut super hallo
weiter genau datei fehler problem
añade añadir corrige corregir cambia cambiar revisa revisar crea crear mira bien vale perfecto hola
continúa archivo error
сделай сделать добавь добавить исправь исправить проверь проверить измени изменить посмотри хорошо
отлично привет продолжай дальше файл ошибка ошибку
"""

_EVERYDAY = """
seem seems seemed quite pretty rather feel feels feeling remain remains remaining outside inside
last made ask asked asking answer reason reasons mean means meant happen happens happened believe
guess hope idea ideas wonder wondering notice noticed mention mentions mentioned explain explained
describe described suggest suggested suggestion consider considering decide decided require requires
required requirement possible possibly impossible likely unlikely able unable easy easily hard
harder simple simpler difficult important interesting useful useless useful obvious obviously
certain certainly especially particularly generally usually often sometimes always never ever
almost nearly exactly completely fully entirely totally partly mostly slightly highly extremely
fairly basically essentially effectively apparently clearly hopefully unfortunately otherwise
anyway anymore together separate separately apart alone individual whole entire rest half single
multiple various certain previous previously earlier later recent recently latest soon early late
old older newer big bigger large larger little less least enough extra additional further fewer
long longer short shorter high higher low lower deep wide close closer near nearby far early
begin begins began beginning end ends ended ending finish finished stay stays leave leaves
bring brings brought hold holds held turn turns turned become becomes became allow allows allowed
prevent avoid cause causes caused affect affects expect expected expects assume assuming
compare compared matter matters care depend depends depending follow follows followed
provide provides provided offer offers contain contains containing appear appears appeared
report reports reported state stated states real reality true false actual original originally
people person someone somebody anyone everyone nobody thought thoughts word words talk talks talking
today yesterday tomorrow week weeks month year years hour hours minute minutes moment times
place places area areas level levels kind kinds sort sorts form forms manner fact facts sense
effort attempt attempts chance decision choice choices difference differences advantage
hey please gonna wanna gotta kinda let's lots plenty couple pair first second third four five six
seven eight nine ten zero none yourself itself themselves myself ourselves whatever whenever
wherever whichever towards toward beside besides beyond despite except regarding concerning
according instead rather perhaps indeed behind beneath throughout unlike
launching leverage leveraging investigate investigation analyse analyze analysing fetch dig
request requested needs needed wants wanted tries tried thinks knows looks gets getting takes taking
took goes went gone comes came gives given gave says shown seen sees using uses worked keeps kept
bad worse worst nicer nicely neat weird strange ugly harsh super totally
"""

# Words at which a new statement begins: conjunctions, and the persons a sentence is about.
_STATEMENT_STARTS = """
because which but then although though however
i they he she i'm i'll i'd i've they're
parce mais puisque donc qui je j'ai nous vous tu ils elles
weil dass aber damit sodass obwohl denn ich wir
porque pero aunque yo nosotros eu você perché però noi
omdat maar ik wij потому но я мы ты вы они
"""

# Small words that turn round what follows: a title must not lose them.
_NEGATIONS = """
not no never without don't doesn't didn't isn't aren't wasn't can't cannot couldn't won't shouldn't
ne pas jamais sans nicht nie kein keine keinen ohne no nunca sin não nunca sem non mai senza niet
geen не ни без нет nie bez 不 没 别 勿
"""

_STATEMENT_START_WORDS = frozenset(_STATEMENT_STARTS.split())
_NEGATION_WORDS = frozenset(_NEGATIONS.split())

_GRAMMAR = (
    *(_ENGLISH, _FRENCH, _GERMAN, _SPANISH, _PORTUGUESE),
    *(_ITALIAN, _DUTCH, _RUSSIAN, _POLISH, _CHINESE),
)

# The later one counts: a word of several lists is as common as it is anywhere.
_SHARES = {
    **dict.fromkeys(_EVERYDAY.split(), EVERYDAY_SHARE),
    **dict.fromkeys([*_WORK.split(), *_CHINESE_PARTS.split()], SMALL_TALK_SHARE),
    **dict.fromkeys(" ".join(_GRAMMAR).split(), GRAMMAR_SHARE),
}


def conversation_share(word: str) -> float:
    """Estimate the share of conversations that contain a folded word."""
    known = _SHARES.get(word)
    if known is not None:
        return known
    if "\u3041" <= word <= "\u309f":  # Japanese writes its grammar in hiragana
        return GRAMMAR_SHARE
    short = len(word) <= SHORT_CHARACTERS and word.isascii() and word.isalpha()
    return UNKNOWN_SHORT_SHARE if short else UNKNOWN_SHARE


def begins_statement(word: str) -> bool:
    """Say whether a folded word begins a new statement, in any of the languages known here."""
    return word in _STATEMENT_START_WORDS


def is_negation(word: str) -> bool:
    """Say whether a folded word turns round what follows it."""
    return word in _NEGATION_WORDS
