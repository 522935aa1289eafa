import type { Phrase } from './phrase.ts'

/** Phrases of other languages that state something explicitly. Without accents, as the folded text. */
export const OTHER_PHRASES: readonly Phrase[] = [
  // German
  {
    category: 'harassment/threatening',
    pattern:
      /\b(?:ich (?:bring|bringe|steche|schlage|erschiesse) dich (?:um|ab|tot|heute noch)|ich (?:tote|ermorde|erwurge) dich|du bist ein toter mann)\b/,
  },
  {
    category: 'harassment',
    pattern:
      /\b(?:bring dich (?:doch )?um|hang dich (?:doch )?auf|du (?:dumme |blode |elende |wertlose )?(?:hure|fotze|missgeburt|drecksau|hurensohn))\b/,
  },
  {
    category: 'hate/threatening',
    pattern:
      /\b(?:juden|muslime|auslander|fluchtlinge|schwarze|schwule) (?:sollte man|muss man|gehoren) (?:alle )?(?:vergast|erschossen|umgebracht|vergasen|erschiessen|umbringen|aufgehangt)\b/,
  },
  {
    category: 'self-harm/intent',
    pattern:
      /\bich (?:will|mochte|werde) (?:mich (?:umbringen|toten|ritzen)|mir das leben nehmen|nicht mehr leben|sterben)\b/,
  },
  {
    category: 'illicit/violent',
    pattern:
      /\bwie (?:baue|bastle|bastele|mache) ich (?:mir )?(?:eine|einen|ein) (?:rohrbombe|bombe|sprengsatz|nagelbombe|schalldampfer)\b/,
  },
  {
    category: 'illicit',
    pattern:
      /\bwie (?:koche|mache|verkaufe|schmuggle|falsche) ich (?:crystal meth|meth|heroin|kokain|drogen|geld|einen pass)\b/,
  },
  {
    category: 'sexual/minors',
    pattern: /\b(?:kinderporno|kinderpornos|kinderpornografie|kinderpornographie)\b/,
  },
  // French
  {
    category: 'harassment/threatening',
    pattern: /\bje vais (?:te|vous|le|la) (?:tuer|buter|egorger|poignarder|crever)\b/,
  },
  {
    category: 'harassment',
    pattern:
      /\b(?:va (?:te suicider|crever|mourir)|suicide[- ]toi|sale (?:pute|connasse|batard|conne)|espece de (?:pute|salope|merde|connard))\b/,
  },
  {
    category: 'hate/threatening',
    pattern:
      /\b(?:il faut|on devrait) (?:tous )?(?:tuer|exterminer|gazer|bruler) (?:tous )?les (?:juifs|musulmans|arabes|noirs|gays|immigres|homosexuels)\b/,
  },
  {
    category: 'self-harm/intent',
    pattern:
      /\bje (?:veux|vais|compte) (?:me (?:suicider|tuer|pendre|scarifier)|mourir|en finir avec la vie)\b/,
  },
  {
    category: 'illicit/violent',
    pattern:
      /\bcomment (?:fabriquer|faire|construire) une (?:bombe(?: artisanale| a la maison| tuyau)|arme intracable|grenade)\b/,
  },
  {
    category: 'illicit',
    pattern:
      /\bcomment (?:fabriquer|cuisiner|vendre|blanchir) (?:de la |du |de l'|de l')?(?:meth|heroine|cocaine|drogue|argent)\b/,
  },
  { category: 'sexual/minors', pattern: /\b(?:pedopornographie|porno enfant|pornographie infantile)\b/ },
  // Spanish
  {
    category: 'harassment/threatening',
    pattern: /\b(?:te voy a (?:matar|apunalar|degollar|disparar)|voy a (?:matarte|apunalarte))\b/,
  },
  {
    category: 'harassment',
    pattern:
      /\b(?:matate|suicidate|hijo de puta|hija de puta|eres una (?:puta|zorra|perra)|maldita (?:puta|zorra|perra))\b/,
  },
  {
    category: 'hate/threatening',
    pattern:
      /\bhay que (?:matar|exterminar|quemar|gasear) a (?:todos )?los (?:judios|musulmanes|negros|gays|inmigrantes|moros|homosexuales)\b/,
  },
  {
    category: 'self-harm/intent',
    pattern:
      /\b(?:(?:me )?quiero (?:suicidarme|matarme|morir|morirme|cortarme|suicidar|matar)|voy a (?:suicidarme|matarme|quitarme la vida))\b/,
  },
  {
    category: 'illicit/violent',
    pattern:
      /\bcomo (?:hacer|fabricar|construir|fabrico|hago) una (?:bomba|bomba casera|granada|pistola irrastreable)\b/,
  },
  {
    category: 'illicit',
    pattern:
      /\bcomo (?:cocinar|fabricar|vender|cocino|vendo|lavar) (?:metanfetamina|heroina|cocaina|drogas|dinero)\b/,
  },
  { category: 'sexual/minors', pattern: /\b(?:pornografia infantil|porno infantil)\b/ },
  // Italian
  {
    category: 'harassment/threatening',
    pattern: /\b(?:ti (?:ammazzo|uccido|sgozzo|accoltello)|vengo a ucciderti)\b/,
  },
  {
    category: 'harassment',
    pattern:
      /\b(?:ammazzati|suicidati|sei una (?:puttana|troia|merda)|brutta (?:puttana|troia)|figlio di puttana)\b/,
  },
  {
    category: 'self-harm/intent',
    pattern: /\bvoglio (?:suicidarmi|uccidermi|ammazzarmi|morire|farla finita)\b/,
  },
  {
    category: 'illicit/violent',
    pattern:
      /\bcome (?:costruire|fare|fabbricare|costruisco) una (?:bomba|granata|pistola non tracciabile)\b/,
  },
  {
    category: 'illicit',
    pattern:
      /\bcome (?:cucinare|produrre|vendere|riciclare) (?:metanfetamina|eroina|cocaina|droga|denaro sporco)\b/,
  },
  { category: 'sexual/minors', pattern: /\b(?:pornografia minorile|pedopornografia)\b/ },
  // Portuguese
  {
    category: 'harassment/threatening',
    pattern: /\b(?:vou te (?:matar|esfaquear)|eu vou matar voce|vou matar-te)\b/,
  },
  { category: 'harassment', pattern: /\b(?:se mata|mata-te|filho da puta|sua (?:puta|vadia|vagabunda))\b/ },
  {
    category: 'self-harm/intent',
    pattern: /\b(?:eu )?quero (?:me matar|morrer|me suicidar|suicidar-me|matar-me)\b/,
  },
  {
    category: 'illicit/violent',
    pattern: /\bcomo (?:fazer|construir|fabricar) uma (?:bomba|granada|bomba caseira)\b/,
  },
  {
    category: 'illicit',
    pattern: /\bcomo (?:cozinhar|produzir|vender|lavar) (?:metanfetamina|heroina|cocaina|drogas|dinheiro)\b/,
  },
  // Dutch
  {
    category: 'harassment/threatening',
    pattern: /\bik (?:vermoord|steek|schiet|maak) je (?:neer|dood|af|vanavond|morgen)\b/,
  },
  {
    category: 'harassment',
    pattern: /\b(?:maak jezelf (?:van kant|dood)|pleeg zelfmoord|vuile hoer|kankerhoer|kankerlijer)\b/,
  },
  {
    category: 'self-harm/intent',
    pattern: /\bik wil (?:dood|zelfmoord plegen|mezelf (?:doden|snijden|van kant maken)|niet meer leven)\b/,
  },
  { category: 'illicit/violent', pattern: /\bhoe (?:maak|bouw) ik een (?:bom|pijpbom|granaat)\b/ },
  // Polish
  { category: 'harassment/threatening', pattern: /\b(?:zabije (?:cie|was)|poderzne ci gardlo)\b/ },
  { category: 'self-harm/intent', pattern: /\bchce (?:sie zabic|umrzec|popelnic samobojstwo)\b/ },
  {
    category: 'illicit/violent',
    pattern: /\bjak (?:zrobic|zbudowac|skonstruowac) (?:bombe|bombe rurowa|granat)\b/,
  },
  // Russian
  {
    category: 'harassment/threatening',
    pattern: /я (?:тебя|вас) (?:убью|зарежу|пристрелю|задушу)|я убью тебя/,
  },
  { category: 'harassment', pattern: /(?:убеи себя|убеися|сдохни, тварь|сдохни тварь)/ },
  {
    category: 'self-harm/intent',
    pattern: /я хочу (?:умереть|убить себя|покончить с собои|покончить с жизнью)/,
  },
  { category: 'illicit/violent', pattern: /как (?:сделать|собрать|изготовить) (?:бомбу|взрывчатку|гранату)/ },
  {
    category: 'illicit',
    pattern: /как (?:сварить|изготовить|продать) (?:метамфетамин|мет|героин|наркотики)/,
  },
  // Turkish
  { category: 'harassment/threatening', pattern: /\bseni (?:oldurecegim|gebertecegim|bicaklayacagim)\b/ },
  { category: 'self-harm/intent', pattern: /\b(?:kendimi oldurmek|intihar etmek|olmek) istiyorum\b/ },
  { category: 'illicit/violent', pattern: /\b(?:nasil bomba yap|bomba nasil yap)(?:ilir|arim|abilirim)\b/ },
  // Chinese and Japanese
  {
    category: 'harassment/threatening',
    pattern: /我要(?:杀|殺)了你|(?:お前|おまえ)を(?:殺|ころ)し?て?やる|ぶっ殺す/,
  },
  {
    category: 'self-harm/intent',
    pattern: /我(?:想|要)(?:自杀|自殺|死|结束生命)|(?:死|自殺)にたい|自殺したい/,
  },
  {
    category: 'illicit/violent',
    pattern: /(?:怎么|如何)(?:制造|制作|做)(?:炸弹|爆炸物|枪支)|爆弾の(?:作り方|つくり方)/,
  },
]
