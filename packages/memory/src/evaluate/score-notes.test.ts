import { textOfParts } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { expect, test } from 'vitest'
import type { Conversation } from './conversations.ts'
import { notesTable, scoreNotes } from './score-notes.ts'

test('measures how much evidence notes and recall find', async () => {
  const said = ['I painted a lake.', 'Nice!', 'Then I painted a fox.', 'It rained in Oslo.']
  const conversation: Conversation = {
    id: 'talk',
    turns: said.map((text, index) => ({
      id: `t${index}`,
      speaker: index % 2 === 0 ? 'Ada' : 'Ben',
      text,
      createdAt: new Date(Date.UTC(2026, 4, 8, 12, index)),
    })),
    questions: [
      { conv: 'talk', category: 'list', question: 'Which works of art exist?', evidence: ['t0', 't2'] },
      { conv: 'talk', category: 'one turn', question: 'Where did it rain?', evidence: ['t3'] },
    ],
  }
  const report = await scoreNotes(new InMemoryStore(), {
    conversations: [conversation],
    observe: ({ messages }) => [
      {
        text: 'Ada has painted a lake and a fox.',
        messageIds: messages
          .filter(({ content }) => textOfParts(content.parts).includes('painted'))
          .map(({ id }) => id),
      },
    ],
  })
  expect(report.categories.list).toEqual({ questions: 1, notes: 1, recall: 0, both: 1 })
  expect(report.categories['one turn']).toEqual({ questions: 1, notes: 0, recall: 1, both: 1 })
  expect(report.all).toMatchObject({ questions: 2, both: 1 })
  expect(report.notes.count).toBe(1)
  expect(notesTable(report)).toContain('| list | 1 | 1.000 | 0.000 | 1.000 |')
})
