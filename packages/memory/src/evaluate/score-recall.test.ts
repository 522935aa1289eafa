import { InMemoryStore } from '@millrace/core/storage'
import { expect, test } from 'vitest'
import { ConceptEmbedder } from '../../test/concept-embedder.ts'
import type { Conversation } from './conversations.ts'
import { scoreRecall } from './score-recall.ts'

test('scores the evidence among the first turns, and its rank', async () => {
  const report = await scoreRecall('in-memory', new InMemoryStore(), { conversations: [conversation] })
  expect(report.all.questions).toBe(2)
  expect(report.categories).toMatchObject({
    one: { turns: { 1: 1, 20: 1 }, MRR: 1 },
    list: { turns: { 1: 0.5, 5: 1 }, MRR: 1 },
  })
})

test('scores the evidence among the first tokens', async () => {
  const long = 'The hives were painted. '.repeat(80)
  const turns = [...conversation.turns, turn('5', 'Ada', `Bees: ${long}`), turn('6', 'Ada', `Bees! ${long}`)]
  const question = {
    conv: 'c',
    category: 'long',
    question: 'Which hives were painted?',
    evidence: ['5', '6'],
  }
  const report = await scoreRecall('in-memory', new InMemoryStore(), {
    conversations: [{ id: 'c', turns, questions: [question] }],
  })
  expect(report.all.turns[5]).toBe(1)
  expect(report.all.tokens).toEqual({ 500: 0.5, 1000: 1 })
})

test('also searches by vectors with an embedding model', async () => {
  const question = { conv: 'c', category: 'meaning', question: 'Who owns a dog?', evidence: ['7'] }
  const conversations = [
    {
      id: 'c',
      turns: [...conversation.turns, turn('7', 'Ben', 'Our puppy sleeps.')],
      questions: [question],
    },
  ]
  const words = await scoreRecall('in-memory', new InMemoryStore(), { conversations })
  expect(words.all.turns[5]).toBe(0)
  const embedder = new ConceptEmbedder()
  const meaning = await scoreRecall('in-memory', new InMemoryStore(), { conversations, embedder })
  expect(meaning.all.turns[5]).toBe(1)
})

const conversation: Conversation = {
  id: 'c',
  turns: [
    turn('1', 'Ada', 'My sister keeps bees in Lund.'),
    turn('2', 'Ben', 'I am learning to sail.'),
    turn('3', 'Ada', 'Her bees have seven hives, at the edge of the wood.'),
    turn('4', 'Ben', 'The ferry leaves at noon.'),
  ],
  questions: [
    { conv: 'c', category: 'one', question: 'When does the ferry leave?', evidence: ['4'] },
    { conv: 'c', category: 'list', question: 'What about the bees and their hives?', evidence: ['1', '3'] },
  ],
}

function turn(id: string, speaker: string, text: string) {
  return { id, speaker, text, createdAt: new Date(Date.UTC(2026, 4, 8, 12, Number(id))) }
}
