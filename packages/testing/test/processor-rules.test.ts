import type { Processor } from '@millrace/core'
import { testProcessor } from '@millrace/testing'
import { expect, test } from 'vitest'
import { PROCESSOR_RULES } from '../src/processor/processor-rules.ts'

const texts = ['The key is secret-1234.', 'Nothing here.', '🌧️ secret-9 and secret-77 and more', '']

const redact = (text: string): string => text.replace(/secret-\d+/g, '***')

/** Redacts complete texts, and aborts on bad input. */
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
    'checks each chunk separately',
    ['gives the same result for any split of the answer into chunks'],
    () => ({
      id: 'chunks',
      processOutputStream: ({ part }) =>
        part.type === 'text-delta' ? { ...part, textDelta: redact(part.textDelta) } : part,
    }),
  ],
  [
    'buffers text in a field',
    ['gives the same result in a hundred concurrent runs as in one'],
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
    'changes with the number of its runs',
    ['keeps no state between runs', 'gives the same result in a hundred concurrent runs as in one'],
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
    'differs for each instance',
    [
      'keeps no state between runs',
      'gives the same result in a hundred concurrent runs as in one',
      'gives the same result for any split of the answer into chunks',
      'gives the same result with generate and stream',
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
    'catches the signal of abort',
    ['does not catch the signals of abort, halt and suspend'],
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

test('the message contains only the differences of the results', async () => {
  const create = async (): Promise<Processor> => ({
    id: 'chunks',
    processOutputStream: ({ part }) =>
      part.type === 'text-delta' ? { ...part, textDelta: redact(part.textDelta) } : part,
  })
  const rule = PROCESSOR_RULES['gives the same result for any split of the answer into chunks']
  await expect(rule?.({ create, texts: ['secret-12'] })).rejects.toThrow(
    'The results differ: an answer in these chunks, compared with one chunk: ["s","e","c","r","e","t","-","1","2"," ","(","r","u","n"," ","0",")"]\n' +
      '  text: "secret-12 (run 0)"\n' +
      '  against: "*** (run 0)"',
  )
})
