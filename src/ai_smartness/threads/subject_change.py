"""Know the phrases by which a person says that something else comes next.

"Let's move on to Solana", "Passons à Solana": whoever says so begins a subject, however few
words the messages around it have. Whether it is another subject is not decided here.
"""

from ai_smartness.text.lazy_pattern import LazyPattern

__all__ = ["announces_subject"]

READ_CHARACTERS = 120  # a longer beginning is no announcement

_ANNOUNCEMENT = LazyPattern(
    r"""(?xi)
    ^ (?: (?: ok(?:ay)? | alright | all\ right | right | great | good | perfect | thanks
          | thank\ you | fine | done | so | and | well | bon | bien | parfait | merci | gut | danke
          | super | vale | bueno | gracias ) [\s,.!:-]+ )*
    (?:
      # English
      (?: now [\s,]+ )?
        (?: let'?s | let\ us | we\ (?:can|should|could) | can\ we | time\ to | i\ want\ to
          | i'?d\ like\ to )
        \ (?: now\ )? (?: move\ on | go\ on\ to | turn\ to | talk\ about | work\ on | look\ at
          | change\ the\ subject | switch\ (?:gears|topics?|subjects?) )
      | moving\ on | on\ to\ the\ next | changing\ (?:the\ )?(?:topic|subject)
      | (?: new | next | another | different | other ) \ (?: topic | subject | thing )
      | now\ (?: for | about | on\ to | to | the ) \b
      | next\ (?: up | comes ) \b
      # French
      | (?: maintenant [\s,]+ )?
        (?: passons | venons[-\ ]en | parlons | travaillons | changeons ) \b
      | (?: autre | nouveau ) \ sujet | maintenant [\s,]+ (?: les?\b | la\b | l' )
      # German
      | (?: jetzt | nun ) \ (?: zu[mr]? | kommen\ wir ) \b | kommen\ wir \b
      | wechseln\ wir\ das\ thema | (?: neues | anderes | nächstes ) \ thema
      | lass(?:t)?\ uns\ (?:jetzt\ )? (?: über | an ) \b
      # Spanish, Portuguese, Italian
      | (?: ahora [\s,]+ )? (?: pasemos | hablemos | cambiemos | vamos\ con | trabajemos ) \b
      | (?: otro | nuevo | outro | novo ) \ (?: tema | assunto )
      | (?: agora [\s,]+ )? (?: passemos | falemos ) \b
      | (?: ora [\s,]+ )? (?: passiamo | parliamo ) \b
    )
    """
)


def announces_subject(text: str) -> bool:
    """Say whether a message begins by saying that something else comes next."""
    return _ANNOUNCEMENT.match(text[:READ_CHARACTERS].lstrip().replace("\u2019", "'")) is not None
