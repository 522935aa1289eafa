/**
 * Transcript compaction.
 * Aggressive compaction.
 */
import assert from 'node:assert/strict'
import { Agent, type Processor, tool, userMessage } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

/** Where a step's prompt was long, a note takes the place of earlier turns: in the transcript, for good. */
const compact = (tokens: number): Processor => ({
  id: 'compact',
  processToolStep({ messageList, usage }) {
    if ((usage.inputTokens ?? 0) < tokens) return
    const earlier = messageList.get('input').slice(0, -1)
    if (earlier.length === 0) return
    messageList.remove(earlier.map(({ id }) => id))
    messageList.add(userMessage(`(Messages left out: ${earlier.length})`), 'context')
  },
})

const model = new ScriptedModel([toolCall('look', {}), 'It turns.'])
const agent = new Agent({
  model,
  tools: { look: tool({ inputSchema: z.object({}), execute: () => 'turning' }) },
  processors: [compact(10)],
})
await agent.generate([userMessage('Is there water?'), userMessage('Does the wheel turn?')])
console.log(model.lastPrompt[0]?.content) // [ { type: 'text', text: '(Messages left out: 1)' } ]
assert.match(JSON.stringify(model.lastPrompt[0]), /left out: 1/)
assert.doesNotMatch(JSON.stringify(model.lastPrompt), /Is there water/)
