import { REVERSED, SHIFTED } from './disguises.ts'

/**
 * Words by their role in an instruction that overrides others, in ten languages. The words are folded: lower case,
 * without accents. A word that ends in `*` matches every word with this beginning.
 */
type InstructionWord = 'undo' | 'earlier' | 'order' | 'reveal' | 'hidden' | 'become' | 'free' | 'quoting'

const WORDS: Readonly<Record<InstructionWord, string>> = {
  undo: `ignore ignores ignoring ignored disregard disregarding forget forgetting override overrides bypass discard neglect
    ignoriere ignorieren ignorier vergiss vergesse vergessen missachte missachten ubergehe verwirf ignorez ignorer oublie oubliez
    oublier ignora ignorar ignorad olvida olvidar olvide ignores omite desestima ignori dimentica dimenticare dimenticate
    ignorare trascura esqueca esquecer desconsidere ignorem negeer negeren vergeet zignoruj ignoruj zapomnij pomin
    игнорируи* проигнорируи* игнорируй* проигнорируй* забудь забудьте отбрось отмени пренебреги yoksay unut gormezden
    تجاهل تجاهلي انس अनदेखा भूल ignorera glom abaikan lupakan`,
  earlier: `previous prior preceding above earlier former foregoing past existing initial original
    vorherige* vorige* bisherige* obige* fruhere* precedent* anteriore* anteriores anterior previas previos previo
    precedenti precedente ci-dessus arriba sopra sopra vorangegangene* bestaande eerdere vorige voorgaande poprzedni*
    wczesniejsz* предыдущ* прежни* предшеств* ранее onceki السابقة السابق पिछले पिछली tidigare sebelumnya all
    alle allen tout toute toutes tous todas todos todo tutte tutti wszystki* все всё alla semua tum सभी جميع your any`,
  order: `instruction instructions prompt prompts directive directives command commands guideline guidelines rule rules
    restrictions restriction constraints orders programming directions anweisung* instruktion* regeln vorgaben befehle
    consigne* directives regles instrucciones ordenes reglas indicaciones istruzioni regole comandi indicazioni
    instrucoes regras orientacoes comandos instructies regels opdrachten instrukcj* polecen* zasad* инструкци* указани*
    правила правил команды talimat* kurallar* التعليمات تعليمات القواعد الأوامر निर्देश* नियम* instruktioner instruksi perintah
    everything`,
  reveal: `reveal print show output repeat display tell leak disclose expose dump recite share send forward email post
    zeige zeig verrate nenne wiederhole gib affiche montre revele repete donne muestra revela repite imprime dime mostra
    rivela ripeti mostre repita toon herhaal pokaz ujawnij powtorz wypisz покажи раскрои раскрой повтори выведи напиши
    goster اكشف اعرض दिखाओ बताओ exfiltrate upload`,
  hidden: `prompt secret secrets password passwords passphrase credentials token tokens apikey systemprompt passwort kennwort passcode codeword
    geheimnis systemprompts contrasena clave mot hemlig senha parola haslo парол* wachtwoord sifre hidden confidential`,
  become: `become act pretend roleplay simulate behave respond answer operate`,
  free: `pwned pwnd dan unrestricted unfiltered uncensored jailbroken unbound amoral lawless limitless`,
  quoting: `chatbot fooled tricked reporter journalist quoting says said whispers whispered writes wrote lecture course slide slides page reads is_attack expect assert expected
    vorlesung folie cours charla lezione aula college wyklad лекци* roman derste saldirisi makale course cours flustert murmure susurra articles paper papers research researchers attack attacks attacker attackers injection injections example
    examples phrase phrases classifier detector detect detection detects quote quoted quotes headline lecture slide slides
    thesis blog owasp defend defence defense defending security vulnerability novel character chapter test tests
    artikel angriff angriffe beispiel attaque attaques exemple ataque ataques ejemplo attacco attacchi esempio exemplo atak
    ataki przyklad атак* пример* стать* aanval voorbeeld saldiri ornek المحاضرة محاضرة الشريحة مثال هجوم هجوما المقالة مقال व्याख्यान स्लाइड उदाहरण हमले हमला लेख`,
}

/** The signs of orders in fixed phrases. */
export type Opening = 'role' | 'reveal' | 'exfiltration' | 'secrecy' | 'fake-turn'

/** The opening words of these phrases. */
export const OPENINGS: Readonly<Record<Opening, readonly string[]>> = {
  role: `you from act pretend enable enter activate switch developer your new stay do du ab tu desormais
    partir ahora ora sei da agora je jestes теперь ты этого artik sen`.split(/\s+/),
  reveal: 'what which repeat print output return show write display system'.split(' '),
  exfiltration:
    `send forward post upload transmit email exfiltrate leak submit append embed encode include sende
    schicke envoie envoyez envia enviar invia stuur wyslij отправь отправьте gonder أرسل भेजो`.split(/\s+/),
  secrecy: 'do don never without'.split(' '),
  'fake-turn': 'end begin beginning new'.split(' '),
}

export type WordClass = InstructionWord | 'opening' | 'reversed' | 'shifted'

/** Each class as a bit. */
export const CLASSES: Readonly<Record<WordClass, number>> = {
  undo: 1,
  earlier: 2,
  order: 4,
  reveal: 8,
  hidden: 16,
  become: 32,
  free: 64,
  quoting: 128,
  opening: 256,
  reversed: 512,
  shifted: 1024,
}

const EXACT = new Map<string, number>()
/** Words with `*`, by their first two characters. */
const BEGINNINGS = new Map<string, [string, number][]>()
/** Classes of words that are no part of an instruction, or have such a class in addition. */
const OTHERS = new Map<string, number>()

for (const [name, words] of Object.entries(WORDS) as [InstructionWord, string][]) {
  const bit = CLASSES[name]
  for (const word of words.split(/\s+/)) {
    if (word.endsWith('*')) {
      const key = word.slice(0, 2)
      BEGINNINGS.set(key, [...(BEGINNINGS.get(key) ?? []), [word.slice(0, -1), bit]])
    } else addTo(EXACT, word, bit)
  }
}
for (const word of Object.values(OPENINGS).flat()) addTo(OTHERS, word, CLASSES.opening)
for (const word of REVERSED) addTo(OTHERS, word, CLASSES.reversed)
for (const word of SHIFTED) addTo(OTHERS, word, CLASSES.shifted)

/** The classes of a folded word, as bits of `CLASSES`. */
export function classesOf(word: string): number {
  return (EXACT.get(word) ?? byBeginning(word)) | (OTHERS.get(word) ?? 0)
}

function byBeginning(word: string): number {
  if (word.length < 4) return 0
  let classes = 0
  for (const [beginning, bit] of BEGINNINGS.get(word.slice(0, 2)) ?? []) {
    if (word.startsWith(beginning)) classes |= bit
  }
  return classes
}

function addTo(words: Map<string, number>, word: string, bit: number): void {
  words.set(word, (words.get(word) ?? 0) | bit)
}

export function isKnownWord(word: string): boolean {
  return EXACT.has(word)
}

/** Words to find in text without spaces, longest first. */
const SEGMENTS = [
  ...EXACT.keys(),
  ...['system', 'developer', 'the', 'and', 'you', 'are', 'now', 'mode', 'new', 'api', 'key'],
]
  .filter((word) => /^[a-z]{3,}$/.test(word))
  .sort((a, b) => b.length - a.length)
const SEGMENT = new RegExp(SEGMENTS.join('|'), 'g')

/** Splits a long word that consists mostly of known words; any other word is unchanged. */
export function segment(word: string): readonly string[] {
  if (word.length < 10 || word.length > 512 || !/^[a-z]+$/.test(word)) return [word]
  const known = word.match(SEGMENT) ?? []
  const length = known.reduce((sum, each) => sum + each.length, 0)
  if (known.length < 2 || length < 0.75 * word.length) return [word]
  return word.replace(SEGMENT, ' $& ').trim().split(/\s+/)
}
