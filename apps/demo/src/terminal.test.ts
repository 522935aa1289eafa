import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { printable, Terminal } from './terminal.ts'

test('removes the text since the mark, with all its rows', () => {
  const { terminal, written } = terminalOf({ isTTY: true, columns: 10, rows: 8 })
  terminal.mark()
  terminal.write('twenty-five letters, yes!\n漢字漢字漢字')
  expect(terminal.takeBack()).toBe(true)
  // Three rows of Latin letters and two of wide ones: moves to the first column and four rows up, and clears everything
  // below.
  expect(written().split('漢字').at(-1)).toBe('\u001b[1G\u001b[4A\u001b[0J')
})

test('keeps text that has scrolled out of view', () => {
  const { terminal, written } = terminalOf({ isTTY: true, columns: 10, rows: 2 })
  terminal.mark()
  terminal.write('twenty-five letters, yes!')
  expect(terminal.takeBack()).toBe(false)
  expect(written()).toBe('twenty-five letters, yes!\n')
})

test('keeps text in a pipe', () => {
  const { terminal, written } = terminalOf({})
  terminal.mark()
  terminal.write('gone')
  expect(terminal.takeBack()).toBe(false)
  terminal.line('next')
  expect(written()).toBe('gone\nnext\n')
})

test('removes control characters from text', () => {
  expect(printable('a\u001b[2Jb\rc\td\u0007\u009b\ne')).toBe('a[2Jbc d\ne')
})

function terminalOf(size: { isTTY?: boolean; columns?: number; rows?: number }) {
  const output = Object.assign(new PassThrough({ encoding: 'utf8' }), size)
  let text = ''
  output.on('data', (data) => {
    text += data
  })
  return { terminal: new Terminal(output), written: () => text }
}
