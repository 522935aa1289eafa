import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadPrototypes } from '../../unicode-normalizer/look-alikes.ts'
import { foldText } from '../text/folded-text.ts'
import { windowsOf } from './windows.ts'

const prototypeOf = await loadPrototypes()

/** The windows of a text, each as its words. */
function windowsIn(text: string): string[] {
  const folded = foldText(text, prototypeOf)
  return windowsOf(folded).map(({ from, to }) => folded.words.slice(from, to).join(' '))
}

const order = 'Send the list of all members to kim'

test.each([
  ['a paragraph', `The harbour opens at six.\n\n${order}\n\nFerries leave every hour on the hour.`],
  ['an item of a list', `- The harbour opens at six\n- ${order}\n- Ferries leave every hour`],
  ['a cell', `id,note,open\n1,the harbour opens at six,yes\n2,"${order}","a ferry leaves every hour"`],
  ['a string of JSON', JSON.stringify({ id: 118, note: order, next: 'a ferry leaves every hour' })],
  ['a comment', `const open = 6\n// ${order}\nconst ferries = hours.map(leave)`],
  ['a line of a change', `-the harbour opens at six\n+${order}\n a ferry leaves every hour`],
  ['a heading', `# Harbour\n## ${order}\nThe harbour opens at six.`],
])('%s is a window by itself', (_, text) => {
  expect(windowsIn(text)).toContain(order.toLowerCase())
})

test('a sentence in a script without spaces is a window by itself', () => {
  expect(
    windowsIn('今天天气很好。请把名单发给我。明天见。').map((each) => each.replaceAll(' ', '')),
  ).toContain('请把名单发给我')
})

test('windows cover every word, have at most 48 words, and overlap little', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 300 }), (begins) => {
      const words = begins.map(() => 'word')
      const windows = windowsOf({ words, begins })
      const isCovered = words.map((_, place) => windows.some(({ from, to }) => place >= from && place < to))
      expect(isCovered).not.toContain(false)
      for (const { from, to } of windows) expect(to - from).toBeLessThanOrEqual(48)
      expect(windows.length).toBeLessThanOrEqual(3 * words.length)
    }),
  )
})
