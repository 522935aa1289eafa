import { userMessage } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSmallTalk } from './conversation-words.ts'
import { searchMemory } from './search-memory.ts'

/** By language: what says nothing, in the words of the one who says it. */
const SMALL_TALK: Record<string, string[]> = {
  en: [
    'Thanks!',
    'thaaanks soooo much!!!',
    'Thank you so much for your help!',
    'Great, thank you.',
    'ok cool',
    'Okay, got it. Thanks again!',
    'Haha, that is hilarious',
    'lol',
    'hahahaha',
    '👍',
    '...',
    'Good morning! How are you today?',
    'hey there',
    'Hello Bob',
    'Thanks, Ada!',
    'See you tomorrow then 👋',
    'That makes sense, thank you',
    'no worries at all',
    'Sounds good to me!',
    'Wow, amazing!!',
    'What’s up?',
    'You too!',
    'yes please',
    'No, thanks.',
    'Nice to meet you, Ada',
    'I see.',
    'I really appreciate it, have a great weekend!',
    'Never mind',
    "That's all for now, bye",
    'Good job, keep it up',
    'Sorry, my bad',
    'You are the best!',
    'Happy birthday!',
    'brb',
    'hmm',
  ],
  de: [
    'Danke schön!',
    'Vielen lieben Dank, Maria!',
    'Alles klar, bis morgen',
    'Guten Morgen, wie geht es dir?',
    'Super, das klingt gut!',
    'Schönen Tag noch!',
    'Kein Problem',
    'sehr gut, danke dir',
    'Haha, sehr lustig',
  ],
  fr: [
    'Merci beaucoup, à demain !',
    "D'accord, merci",
    'Bonjour, comment ça va ?',
    "C'est très gentil",
    'Pas de problème',
    'Bonne nuit',
    'Oui, bien sûr',
    'Génial !',
  ],
  es: [
    '¡Muchas gracias por tu ayuda!',
    'Buenos días, ¿cómo estás?',
    'Vale, perfecto',
    'Hasta mañana',
    'jajaja',
    'De nada',
    '¡Qué bien!',
    'No te preocupes',
  ],
  pt: ['Muito obrigada!', 'Bom dia, tudo bem?', 'Tá bom, até amanhã', 'Que legal!', 'Valeu', 'Sem problemas'],
  it: [
    'Grazie mille!',
    'Perfetto, a domani',
    'Ciao, come stai?',
    'Va bene, ho capito',
    'Che bello!',
    'Prego',
  ],
  nl: ['Dank je wel, tot morgen', 'Goedemorgen, hoe gaat het?', 'Oké, prima', 'Geen probleem', 'Wat leuk!'],
  pl: ['Super, dzięki!', 'Dzień dobry, co słychać?', 'Dobrze, do jutra', 'Nie ma sprawy', 'Świetny pomysł'],
  sv: ['Tack så mycket!', 'Hej, hur mår du?', 'Okej, vi ses imorgon', 'Vad kul!'],
  ru: [
    'Спасибо большое!',
    'Привет, как дела?',
    'Хорошо, до завтра',
    'Не за что',
    'хахаха, смешно',
    'Отлично!',
  ],
  tr: ['Çok teşekkür ederim!', 'Merhaba, nasılsın?', 'Tamam, görüşürüz', 'Harika!', 'Önemli değil'],
  ar: ['شكراً جزيلاً', 'كيف حالك؟', 'حسنا، إلى اللقاء', 'لا مشكلة', 'رائع جدا'],
  hi: ['बहुत बहुत धन्यवाद', 'नमस्ते, आप कैसे हैं?', 'ठीक है, कल मिलते हैं', 'कोई बात नहीं'],
  ja: [
    'ありがとうございます！',
    'おはようございます、お元気ですか？',
    '了解です、また明日',
    'すごいですね',
    'お疲れ様でした',
  ],
  zh: ['谢谢你，明天见', '早上好！', '好的，没问题', '太好了，谢谢', '哈哈哈', '辛苦了'],
  ko: ['정말 감사합니다 😊', '안녕하세요, 잘 지내세요?', '네, 알겠습니다', '좋은 하루 보내세요', 'ㅋㅋㅋㅋ'],
}

const QUESTIONS = [
  'Where is my umbrella?',
  'Was I happy in Lisbon?',
  'What did I see that day?',
  'What am I grateful for?',
  'Thanks, and when is the dentist?',
  'ok, book the ferry',
  'Yes, Berlin is nice',
  'What is good for headaches?',
  'Who is my best friend?',
  'Where is my bra?',
  'Berlin',
  'Mein Hund ist toll',
  'Wie heißt meine Schwester?',
  '¿Cómo se llama mi perro?',
  'Où habite ma sœur ?',
  'Как зовут мою собаку?',
  'Köpeğimin adı ne?',
  'كم عمر أختي؟',
  'मेरी बहन कहाँ रहती है?',
  '誰が東京に行きましたか',
  '我妹妹喜欢什么',
  '내 강아지 이름이 뭐야?',
]

describe('small talk', () => {
  test('has a hundred cases in ten languages', () => {
    expect(Object.values(SMALL_TALK).flat().length).toBeGreaterThanOrEqual(100)
    expect(Object.keys(SMALL_TALK).length).toBeGreaterThanOrEqual(10)
  })

  test.each(Object.entries(SMALL_TALK))(
    'recalls nothing, in %s, even if it was said before',
    async (_, texts) => {
      const store = new InMemoryStore()
      await store.saveMessages({
        threadId: 't',
        resourceId: 'ada',
        messages: texts.flatMap((text) => [userMessage(text), userMessage(`${text} The umbrella is red.`)]),
      })
      const search = (query: string, minCoverage?: number) =>
        searchMemory({
          storage: store,
          embedder: undefined,
          filter: { resourceId: 'ada' },
          query,
          minCoverage,
        })
      for (const text of texts) expect((await search(text)).hits, text).toEqual([])
      const all = await Promise.all(texts.map((text) => search(text, 0)))
      expect(all.some(({ hits }) => hits.length > 0)).toBe(true)
    },
  )

  test.each(QUESTIONS)('does not include: %s', (text) => {
    expect(isSmallTalk(text)).toBe(false)
  })

  test('does not include texts with an unknown word, at any position', () => {
    const talk = fc.constantFrom(...Object.values(SMALL_TALK).flat())
    fc.assert(
      fc.property(fc.array(talk, { maxLength: 3 }), fc.array(talk, { maxLength: 3 }), (before, after) => {
        expect(isSmallTalk([...before, 'zeppelin', ...after].join(' '))).toBe(false)
      }),
    )
  })

  test('is never a long text, and long texts cost nothing extra', () => {
    expect(isSmallTalk('thanks '.repeat(100_000))).toBe(false)
  })
})

test('a question that hardly matches anything recalls nothing', async () => {
  const store = new InMemoryStore()
  const texts = [
    'The ferry leaves at noon.',
    'My sister keeps bees.',
    'The sea was calm.',
    ...Array.from({ length: 30 }, () => 'A long walk by the sea.'),
  ]
  await store.saveMessages({
    threadId: 't',
    resourceId: 'ada',
    messages: texts.map((text) => userMessage(text)),
  })
  const search = async (query: string) => {
    const filter = { resourceId: 'ada' }
    return (await searchMemory({ storage: store, embedder: undefined, filter, query })).hits
  }
  expect(await search('Which volcano erupted beneath the sea of Kamchatka?')).toEqual([])
  expect((await search('What does my sister keep?')).length).toBeGreaterThan(0)
  expect((await search('When does the ferry to the island leave?')).length).toBeGreaterThan(0)
})
