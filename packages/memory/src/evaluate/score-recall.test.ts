import { InMemoryStore } from '@millrace/core/storage'
import { expect, test } from 'vitest'
import type { Conversation } from './conversations.ts'
import { scoreRecall } from './score-recall.ts'

test('counts the evidence among the first hits, and with their neighbours', async () => {
  const report = await scoreRecall('in-memory', new InMemoryStore(), [conversation])
  expect(report.all.questions).toBe(2)
  expect(report.categories).toMatchObject({
    direct: { hits: { 'R@1': 1, 'R@10': 1, nDCG: 1 }, neighbours: { 'R@1': 1 } },
    beside: { hits: { 'R@10': 0, nDCG: 0 }, neighbours: { 'R@1': 1, nDCG: 1 } },
  })
})

test('a turn of another session is no neighbour', async () => {
  const turns = conversation.turns.map((turn, index) => ({ ...turn, session: index }))
  const { categories } = await scoreRecall('in-memory', new InMemoryStore(), [{ ...conversation, turns }])
  expect(categories.beside?.neighbours['R@10']).toBe(0)
})

const conversation: Conversation = {
  id: 'c',
  turns: [
    turn('1', 'Ada', 'My sister keeps bees in Lund.'),
    turn('2', 'Ben', 'How many hives?'),
    turn('3', 'Ada', 'Seven, at the edge of the wood.'),
    turn('4', 'Ben', 'The ferry leaves at noon.'),
  ],
  questions: [
    { conv: 'c', category: 'direct', question: 'Where does the sister keep bees?', evidence: ['1'] },
    { conv: 'c', category: 'beside', question: 'How many hives are there?', evidence: ['3'] },
  ],
}

function turn(id: string, speaker: string, text: string) {
  return { conv: 'c', session: 1, dia_id: id, speaker, text }
}
