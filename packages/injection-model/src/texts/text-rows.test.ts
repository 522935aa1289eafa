import { describe, expect, test } from 'vitest'
import { textFiles, textRows } from './text-rows.ts'

const FIELDS = ['text', 'label', 'set', 'lang', 'surface', 'licence', 'author']

describe.each([...textFiles('written'), ...textFiles('templates'), ...textFiles('evaluation')])(
  '%s',
  (file) => {
    const rows = textRows(file)

    test('has all required fields', () => {
      for (const row of rows) {
        expect(Object.keys(row).filter((field) => field !== 'spin')).toEqual(FIELDS)
        expect(row).toMatchObject({
          text: expect.stringMatching(/\S/),
          label: expect.toSatisfy((label) => label === 0 || label === 1),
          lang: expect.stringMatching(/^[a-z]{2}$/),
          surface: expect.stringMatching(/^(?:user|system|document)$/),
          licence: 'Apache-2.0',
          author: 'Millrace',
        })
      }
    })

    test('has no duplicate texts', () => {
      const texts = rows.map(({ text }) => text)
      expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([])
    })
  },
)

test('no text for evaluation is in the training data', () => {
  const trained = new Set([...textFiles('written'), ...textFiles('templates')].flatMap(textRows).map(textOf))
  expect(
    textFiles('evaluation')
      .flatMap(textRows)
      .map(textOf)
      .filter((text) => trained.has(text)),
  ).toEqual([])
})

function textOf({ text }: { readonly text: string }): string {
  return text
}
