import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readConversations } from './conversations.ts'

const folder = mkdtempSync(join(tmpdir(), 'millrace-conversations-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('turns have the date of their session, and keep their order', () => {
  write([
    { session: 1, date: '1:56 pm on 8 May, 2026', dia_id: 'a' },
    { session: 1, date: '1:56 pm on 8 May, 2026', dia_id: 'b' },
    { session: 2, date: '2026-06-01 09:30', dia_id: 'c' },
  ])
  expect(timesOf()).toEqual(['2026-05-08T13:56', '2026-05-08T13:57', '2026-06-01T09:30'])
})

test('sessions without a date are placed days apart', () => {
  write([{ session: 1 }, { session: 2, date: null }, { session: 2 }])
  expect(timesOf()).toEqual(['1970-01-01T00:00', '1970-01-02T00:00', '1970-01-02T00:01'])
})

test('names an invalid date', () => {
  write([{ date: 'some day' }])
  expect(() => readConversations(folder)).toThrow(/'some day'/)
})

test('captions are appended to turns if requested', () => {
  write([{ text: 'Look!', image_caption: 'a red boat' }])
  expect(readConversations(folder)[0]?.turns[0]?.text).toBe('Look!')
  expect(readConversations(folder, { captions: true })[0]?.turns[0]?.text).toBe('Look!\n[a red boat]')
})

test('uses corrected evidence that exists; skips questions without an answer', () => {
  const question = { conv: 'c', category: 'single-hop', question: 'Where?' }
  write(
    [{ dia_id: 'a' }, { dia_id: 'b' }],
    [
      { ...question, evidence: ['a', 'gone', 'a'] },
      { ...question, evidence: ['a'], audit: { correct_evidence: ['b'] } },
      { ...question, evidence: ['gone'] },
      { ...question, evidence: ['a'], category: 'adversarial' },
    ],
  )
  expect(readConversations(folder)[0]?.questions.map(({ evidence }) => evidence)).toEqual([['a'], ['b']])
})

function write(turns: object[], questions: object[] = []): void {
  const rows = turns.map((turn, index) => ({
    conv: 'c',
    session: 1,
    dia_id: `${index}`,
    speaker: 'Ada',
    text: 'x',
    ...turn,
  }))
  for (const [name, list] of Object.entries({ recall_turns: rows, recall_questions: questions })) {
    writeFileSync(join(folder, `${name}.jsonl`), list.map((row) => JSON.stringify(row)).join('\n'))
  }
}

function timesOf(): string[] {
  return readConversations(folder).flatMap(({ turns }) =>
    turns.map(({ createdAt }) => createdAt.toISOString().slice(0, 16)),
  )
}
