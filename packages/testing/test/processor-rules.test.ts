import type { Processor } from '@millrace/core'
import { testProcessor } from '@millrace/testing'
import { expect, test } from 'vitest'
import { PROCESSOR_RULES } from '../src/processor/processor-rules.ts'

const texts = ['The key is secret-1234.', 'Nothing here.', '🌧️ secret-9 and secret-77 and more', '']

const redact = (text: string): string => text.replace(/secret-\d+/g, '***')

/** Redacts in whole texts, and aborts at bad input. */
function redactor(): Processor {
  return {
    id: 'redactor',
    processInput({ messages, abort }) {
      if (JSON.stringify(messages).includes('secret-9 ')) abort('A secret was sent.')
    },
    processOutputStream({ part, state }) {
      if (part.type === 'text-start') state.held = ''
      if (part.type === 'text-delta') {
        state.held = `${state.held}${part.textDelta}`
        return null
      }
      if (part.type !== 'text-end') return part
      return [{ type: 'text-delta', id: part.id, textDelta: redact(String(state.held)) }, part]
    },
  }
}

testProcessor('a redactor', { create: redactor, texts })
testProcessor('one that does nothing', { create: () => ({ id: 'idle', processInput: () => {} }) })

testProcessor('one that is random by design', {
  create: () => ({
    id: 'salt',
    processInput: ({ messages }) => ({
      messages,
      systemMessages: [{ role: 'system', content: `Salt: ${crypto.randomUUID()}` }],
    }),
  }),
  ignore: /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
})

let made = 0

const broken: [string, readonly string[], () => Processor][] = [
  [
    'looks at each chunk alone',
    ['gives the same however the answer is cut into chunks'],
    () => ({
      id: 'chunks',
      processOutputStream: ({ part }) =>
        part.type === 'text-delta' ? { ...part, textDelta: redact(part.textDelta) } : part,
    }),
  ],
  [
    'keeps what it holds back in a field',
    ['gives in a hundred runs at once what it gives in one'],
    () => {
      let held = ''
      return {
        ...redactor(),
        async processOutputStream({ part }) {
          await new Promise((resolve) => setImmediate(resolve))
          if (part.type === 'text-start') held = ''
          if (part.type === 'text-delta') {
            held += part.textDelta
            return null
          }
          if (part.type !== 'text-end') return part
          return [{ type: 'text-delta', id: part.id, textDelta: redact(held) }, part]
        },
      }
    },
  ],
  [
    'counts its runs, and changes with them',
    ['carries nothing from one run into the next', 'gives in a hundred runs at once what it gives in one'],
    () => {
      let runs = 0
      return {
        id: 'counter',
        processInput: ({ systemMessages, messages }) => ({
          messages,
          systemMessages: [...systemMessages, { role: 'system', content: `Run ${runs++}` }],
        }),
      }
    },
  ],
  [
    'is another one each time it is made',
    [
      'carries nothing from one run into the next',
      'gives in a hundred runs at once what it gives in one',
      'gives the same however the answer is cut into chunks',
      'gives the same to generate and to stream',
    ],
    () => {
      const content = `Instance ${made++}`
      return {
        id: 'salted',
        processInput: ({ messages }) => ({ messages, systemMessages: [{ role: 'system', content }] }),
      }
    },
  ],
  [
    'catches what abort throws',
    ['lets go what abort, halt and suspend throw'],
    () => ({
      id: 'catcher',
      processInput({ abort }) {
        try {
          abort('No.')
        } catch {}
      },
    }),
  ],
]

test.each(broken)(
  'a processor fails the rules it breaks, and no others, if it %s',
  async (_, breaks, create) => {
    const failed: string[] = []
    for (const [name, rule] of Object.entries(PROCESSOR_RULES)) {
      await rule({ create: async () => create(), texts }).catch(() => failed.push(name))
    }
    expect(failed.toSorted()).toEqual([...breaks].toSorted())
  },
)

test('every rule is broken by some processor', () => {
  expect(new Set(broken.flatMap(([, breaks]) => breaks))).toEqual(new Set(Object.keys(PROCESSOR_RULES)))
})

test('the message says in what the outcomes differ, and nothing else', async () => {
  const create = async (): Promise<Processor> => ({
    id: 'chunks',
    processOutputStream: ({ part }) =>
      part.type === 'text-delta' ? { ...part, textDelta: redact(part.textDelta) } : part,
  })
  const rule = PROCESSOR_RULES['gives the same however the answer is cut into chunks']
  await expect(rule?.({ create, texts: ['secret-12'] })).rejects.toThrow(
    'Other than expected: an answer in these pieces, against one piece: ["s","e","c","r","e","t","-","1","2"," ","(","r","u","n"," ","0",")"]\n' +
      '  text: "secret-12 (run 0)"\n' +
      '  against: "*** (run 0)"',
  )
})
