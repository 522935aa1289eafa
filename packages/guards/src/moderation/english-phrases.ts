import type { Phrase } from './phrase.ts'

const HOW = '(?:how (?:do i|do you|can i|could i|should i|to)|steps to|instructions (?:for|to)|best way to)'
const I_WILL = "(?:i|we)(?:'ll| will| am going to| are going to|'m going to|'re going to| gonna|'m gonna)"
const GROUPS =
  '(?:jews|muslims|christians|blacks|black people|whites|white people|asians|mexicans|immigrants|refugees|gays|gay people|lesbians|trans people|women|disabled people)'

/** English phrases that state something explicitly. */
export const ENGLISH_PHRASES: readonly Phrase[] = [
  {
    category: 'harassment/threatening',
    pattern: new RegExp(
      `\\b${I_WILL} (?:find you and )?(?:kill|murder|stab|shoot|strangle|behead|beat up) (?:you|him|her|them|your family)\\b`,
    ),
  },
  { category: 'harassment', pattern: /\b(?:go )?(?:kill yourself|hang yourself)\b|\bkys\b/ },
  {
    category: 'hate/threatening',
    pattern: new RegExp(
      `\\b${GROUPS} (?:should|must|deserve to|need to|have to) (?:all )?(?:die|hang|burn|be (?:killed|shot|gassed|hanged|exterminated|wiped out))\\b|\\b(?:kill|gas|exterminate|lynch) (?:all )?(?:the )?${GROUPS}\\b`,
    ),
  },
  {
    category: 'self-harm/intent',
    pattern:
      /\bi(?:'m| am| want| plan| need| have decided|'m going| am going|'ve decided) (?:going )?to (?:kill myself|end my life|hurt myself|cut myself|commit suicide)\b|\bi wanna (?:die|kill myself)\b/,
  },
  {
    category: 'self-harm/instructions',
    pattern: new RegExp(
      `\\b${HOW} (?:kill|hang|cut|harm|hurt|starve|poison) (?:myself|yourself|oneself)\\b|\\b${HOW} (?:commit suicide|end my life)\\b`,
    ),
  },
  {
    category: 'illicit/violent',
    pattern: new RegExp(
      `\\b${HOW} (?:make|build|construct|assemble|get|buy) (?:a |an )?(?:pipe |nail |dirty |car )?(?:bombs?|explosives?|grenades?|ghost guns?|untraceable guns?|silencers?|nerve gas|sarin)\\b`,
    ),
  },
  {
    category: 'illicit',
    pattern: new RegExp(
      `\\b${HOW} (?:cook|make|synthesi[sz]e|buy|sell) (?:crystal )?(?:meth|methamphetamine|fentanyl|heroin|crack)\\b|\\b${HOW} (?:launder money|shoplift|steal a car|pick pockets|forge a passport|make counterfeit money)\\b`,
    ),
  },
  {
    category: 'sexual/minors',
    pattern:
      /\b(?:child|children|kiddie|underage|preteen|minors?|toddler) ?(?:porn|pornography|sex|erotica|nudes)\b/,
  },
  {
    category: 'harassment/threatening',
    pattern:
      /\b(?:you(?:'re| are) (?:dead meat|a dead (?:man|woman))|(?:watch your back|i know where you live),? (?:or|and|because|before) (?:you|i|your)|you (?:will|'ll|are going to) (?:die|bleed|suffer) for this|(?:he|she|they|somebody|someone) (?:should|needs to) (?:shoot|stab|rape|strangle|kill) (?:you|him|her|them)|i hope (?:somebody|someone|they) (?:kills?|rapes?|murders?|shoots?|stabs?) (?:you|him|her))\b/,
  },
  {
    category: 'harassment',
    pattern:
      /\b(?:(?:everybody|everyone|nobody|the world) (?:hates|would be better off without|likes|loves) you,? (?:you )?(?:loser|freak|pig|idiot|moron|worthless|ugly)|you(?:'re| are) (?:a |an |such a )?(?:worthless|pathetic|disgusting|ugly|stupid|fat|filthy) (?:piece of (?:shit|trash|garbage)|pig|loser|idiot|moron|cow|freak|waste of (?:space|air|oxygen))|(?:do (?:us|the world) a favou?r and (?:die|disappear|jump)|drink bleach|jump off a (?:bridge|cliff|roof)))\b/,
  },
  {
    category: 'hate',
    pattern: new RegExp(
      `\\b(?:(?:all )?${GROUPS} are (?:all )?(?:subhuman|inferior|vermin|parasites|animals|rats|cockroaches|filth|a disease|a plague|scum|savages|less intelligent|criminals by nature)|(?:i|we) (?:hate|despise) (?:all )?(?:the )?${GROUPS}|${GROUPS} (?:do not|don't) (?:belong here|deserve (?:rights|to live))|(?:send|deport|ban) all (?:the )?${GROUPS})\\b`,
    ),
  },
  {
    category: 'violence',
    pattern:
      /\b(?:(?:they|he|she|all of them|those people) deserved? to (?:be (?:tortured|executed|slaughtered|beheaded)|die (?:slowly|screaming))|(?:watch|enjoy|love|loved) (?:people|them|animals|him|her) (?:being )?(?:tortured|burned alive|slaughtered|bleed(?:ing)? out|die in agony)|glory to the (?:shooter|bomber|martyrs|attackers)|(?:bomb|burn down|shoot up|blow up) (?:the|this|that|a|my|our|their|every) (?:school|mosque|church|synagogue|office|hospital|airport|parliament|embassy))\b/,
  },
  {
    category: 'violence/graphic',
    pattern:
      /\b(?:(?:his|her|their|the) (?:guts|intestines|brains?|entrails|skull|eyeballs?) (?:spill(?:ed|ing)?|splattered|burst|exploded|hung|oozed|were (?:ripped|torn|scattered))|(?:ripped|tore|sawed|hacked|cut) (?:off|out|open) (?:his|her|their) (?:head|limbs|throat|tongue|heart|stomach|fingers|eyes)|blood (?:sprayed|spurted|gushed) (?:from|out of|over|across) (?:his|her|the|their))\b/,
  },
  {
    category: 'self-harm/intent',
    pattern:
      /\b(?:i (?:don't|do not) want to (?:live|be alive|wake up)(?: any ?more)?|i (?:cut|burned|starved) myself (?:again|last night|today|every)|i (?:have|'ve) (?:written|got) my (?:suicide note|goodbye letters?)|(?:better off|everyone would be happier) if i (?:were|was) dead|i(?:'m| am) (?:going to|gonna) (?:overdose|jump|end it(?: all)?)(?: tonight| today| tomorrow)?)\b/,
  },
  {
    category: 'self-harm/instructions',
    pattern:
      /\b(?:(?:how many|which) (?:pills|tablets|sleeping pills) (?:do i need|does it take|should i take|would) (?:to )?(?:die|kill|overdose)|(?:painless|easiest|quickest|best) (?:way|ways|method|methods) (?:to|of) (?:die|dying|kill(?:ing)? (?:myself|yourself)|commit(?:ting)? suicide|suicide)|(?:hide|hiding) (?:my |the )?(?:cuts|cutting|purging|starving) from)\b/,
  },
  {
    category: 'self-harm',
    pattern:
      /\b(?:(?:pro ?ana|thinspo|thinspiration)|(?:suicide|cutting yourself|starving yourself|self harm) is (?:beautiful|the answer|the only way|brave|freedom))\b/,
  },
  {
    category: 'sexual',
    pattern:
      /\b(?:(?:send|show) (?:me )?(?:your )?(?:nudes|naked (?:pics?|pictures|photos))|(?:i want to|let me|i(?:'ll| will)) (?:fuck|lick|suck) (?:you|your|him|her)|(?:write|tell) (?:me )?(?:an? )?(?:explicit|erotic|pornographic|smutty) (?:story|scene|fantasy)|(?:hard|naked and wet|moaning) (?:cock|dick|pussy))\b/,
  },
]
