/** Records runs as JSON lines, and replays one. */
import assert from 'node:assert/strict'
import { replay, TranscriptRecorder } from '@millrace/context/transcript-recorder'
import { Agent, userMessage } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

const lines: string[] = []
const recorder = new TranscriptRecorder({ sink: (line) => void lines.push(line) }) // or the path of a file
// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel(['It turns.', 'Water.'])
const agent = new Agent({ model, processors: [recorder] }) // last, after all guards
await agent.generate('Does it turn?')
await recorder.flush()

const [run] = replay(lines)
console.log(run?.messages.map(({ role }) => role)) // [ 'user', 'assistant' ]
assert.deepEqual(run?.calls[0]?.prompt, model.lastPrompt)

const { text } = await agent.generate([...run.messages, userMessage('What drives it?')], { trusted: true })
assert.equal(run.messages.length, 2)
assert.equal(text, 'Water.')
