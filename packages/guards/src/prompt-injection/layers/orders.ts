import { CLASSES, OPENINGS, type Opening } from '../text/lexicon.ts'
import type { Layer, Sign, SignHit } from './layer.ts'

/**
 * Patterns over folded words joined by single spaces. They are tested at their opening words, over the next `REACH`
 * words.
 */
const ORDERS: readonly (readonly [Opening, RegExp])[] = [
  [
    'role',
    /^(?:you are (?:now|going to be|going to act as|going to pretend to be) (?:\S{1,20} ){0,4}?(?:ai|assistant|bot|chatbot|model|gpt|\S{0,12}gpt|dan|unrestricted|unfiltered|uncensored|free|jailbroken|hacker|terminal|character|in (?:developer|god|debug|dan|jailbreak|maintenance|sudo))|you are no longer (?:\S{1,20} ){0,3}?(?:ai|assistant|bot|chatbot|model|bound|restricted|limited|chatgpt|required)|from now on you|act as (?:if you (?:are|were|have)|an? (?:unrestricted|evil|unfiltered|uncensored)|dan)|pretend (?:that you are|you are|to be) an? (?:unrestricted|evil|ai|unfiltered|\S{0,12}gpt)|(?:enable|enter|activate|switch to) (?:the )?(?:god|dan|jailbreak|sudo|maintenance|unrestricted) mode|developer mode (?:enabled|output|activated|on)|(?:you are|you re) (?:now )?in (?:developer|debug|god|dan|maintenance) mode|your new (?:role|task|instructions?|identity|persona) is|new (?:system )?instructions? (?:from|are|follow|for you|override)|stay in character|do anything now|(?:du bist (?:jetzt|nun|ab jetzt)|ab (?:jetzt|sofort) bist du|tu es (?:maintenant|desormais)|desormais tu es|partir de maintenant tu es|partir de ahora eres|ahora eres|ora sei|sei ora|da ora in poi sei|agora voce e|partir de agora voce e|je bent nu|jestes teraz|теперь ты|ты теперь|этого момента ты|artik sen|sen artik) (?:\S{1,20} ){0,5}?(?:ki|ia|ai|ии|bot|dan|assist\S{0,6}|asist\S{0,6}|asystent\S{0,3}|ассистент\S{0,3}|chatbot|hacker|хакер|ein model\S{0,2}|modello|modelo|sin restric\S{1,8}|sans limites?|ohne regeln|без (?:правил|ограничений)))/,
  ],
  [
    'reveal',
    /^(?:(?:what|which) (?:is|are|was|were) (?:your|the) (?:system |initial |original |hidden |secret |first |exact |full |previous )?(?:prompt|password|instructions|secret|directives)|(?:repeat|print|output|return|show|write|display) (?:me )?(?:the |all |everything |your )?(?:text |words |content |everything )?(?:above|verbatim)|system prompt)\b/,
  ],
  [
    'exfiltration',
    /^(?:send|forward|post|upload|transmit|email|exfiltrate|leak|submit|append|embed|encode|include|sende|schicke|envoie|envoyez|envia|enviar|invia|stuur|wyslij|отправь|отправьте|gonder|أرسل|भेजो)\b(?: \S{1,30}){0,10}? (?:(?:api )?keys?|tokens?|credentials?|passwords?|secrets?|conversation|chat history|history|contents?|documents?|data|passwort|passworter|zugangsdaten|mots? de passe|contrasenas?|credenziali|senhas?|wachtwoord(?:en)?|hasla|пароли|ключи|переписк\S{0,3}|sifreleri|كلمات|पासवर्ड)(?: \S{1,30}){0,6}? (?:to|an|a|naar|na|на|the url|via|image|link|http|https|إلى)\b/,
  ],
  [
    'secrecy',
    /^(?:(?:do not|don t|never|without) (?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|reveal(?:ing)? (?:this|it)|notify(?:ing)?|alert(?:ing)?|ask(?:ing)?|show(?:ing)?)(?: \S{1,30}){0,4} (?:user|anyone|this|human|owner|customer|him|them)|without (?:the )?(?:user|users)(?: s)? (?:knowledge|consent|knowing))\b/,
  ],
  [
    'fake-turn',
    /^(?:end of (?:system )?(?:prompt|instructions?|context|document|data)|begin(?:ning)? (?:of )?(?:new )?(?:instructions?|system)|new (?:session|conversation) (?:begins|started?))\b/,
  ],
]

/** Patterns for scripts without spaces between words. */
const UNSPACED_ORDERS: readonly (readonly [Sign, RegExp])[] = [
  ['subject', /(?:攻击|攻擊|攻撃|例子|示例|例と|論文|论文|文章|記事|講義|讲座|小说|小説)/g],
  [
    'override',
    /(?:忽略|無視|无视|忘记|忘掉|忘れ(?!ず|な)|不要理会|取消)\S{0,16}?(?:指令|指示|命令|提示|规则|規則|說明|说明|設定|设定|ルール|プロンプト)/g,
  ],
  [
    'override',
    /(?:指令|指示|命令|規則|规则|ルール|プロンプト|設定)\S{0,6}?(?:を)?(?:忽略|無視|无视|忘れ|破棄)/g,
  ],
  ['role', /(?:你现在是|從現在起|从现在起|从现在开始|あなたは今から|今からあなたは|これからあなたは)/g],
  [
    'reveal',
    /(?:告诉我|显示|輸出|输出|透露|打印|重复|教え|表示|出力|見せ)\S{0,12}?(?:密码|密碼|系统提示|系統提示|提示词|秘密|パスワード|システムプロンプト)/g,
  ],
  [
    'reveal',
    /(?:密码|系统提示|提示词|秘密|パスワード|システムプロンプト)\S{0,8}?(?:告诉|显示|输出|教え|表示|出力|見せ)/g,
  ],
]

const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff]/

/** The maximum length of an order, in words. */
const REACH = 24

/** The patterns by their opening word. */
const BY_WORD = new Map<string, (readonly [Sign, RegExp])[]>()
for (const [sign, pattern] of ORDERS) {
  for (const word of OPENINGS[sign]) BY_WORD.set(word, [...(BY_WORD.get(word) ?? []), [sign, pattern]])
}

/** Finds orders in fixed phrases: to take a role, to reveal something hidden, or to send it away. */
export const findOrders: Layer = ({ words, classes, text }) => {
  const hits: SignHit[] = []
  for (let place = 0; place < words.length; place++) {
    if (((classes[place] as number) & CLASSES.opening) === 0) continue
    const following = words.slice(place, place + REACH).join(' ')
    for (const [sign, pattern] of BY_WORD.get(words[place] as string) ?? []) {
      const match = pattern.exec(following)?.[0]
      if (match !== undefined) hits.push({ sign, from: place, to: place + match.split(' ').length })
    }
  }
  if (UNSPACED.test(text)) findUnspaced(words, hits)
  return hits
}

function findUnspaced(words: readonly string[], hits: SignHit[]): void {
  // In most of these scripts each character is a word, so there are many words.
  const isUnspaced = (word: string): boolean =>
    word.length === 1 ? word >= '\u3040' && word <= '\u9fff' && UNSPACED.test(word) : UNSPACED.test(word)
  const joined = words.map((word) => (isUnspaced(word) ? word : ` ${word} `))
  const text = joined.join('')
  let starts: number[] | undefined
  for (const [sign, pattern] of UNSPACED_ORDERS) {
    for (const { 0: match, index } of text.matchAll(pattern)) {
      starts ??= startsOf(joined)
      const from = indexOfPlace(starts, index)
      hits.push({ sign, from, to: indexOfPlace(starts, index + match.length - 1) + 1 })
    }
  }
}

function startsOf(words: readonly string[]): number[] {
  let place = 0
  return words.map((word) => {
    const start = place
    place += word.length
    return start
  })
}

function indexOfPlace(starts: readonly number[], place: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] as number) <= place) low = middle
    else high = middle - 1
  }
  return low
}
