/** Supervisor: an agent delegates to others, and writes the answer itself. */
import assert from 'node:assert/strict'
import { Agent, type AgentProgress } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'

const researcher = new Agent({
  name: 'researcher',
  // A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
  model: new ScriptedModel(['Tides turn every six hours.']),
})
const critic = new Agent({
  name: 'critic',
  model: new ScriptedModel(['More exactly: every 6 hours 12 minutes.']),
})

const supervisor = new Agent({
  name: 'supervisor',
  instructions: 'Ask the researcher, have the critic check the facts, then answer in one sentence.',
  model: new ScriptedModel([
    toolCall('research', { prompt: 'How often do tides turn?' }),
    toolCall('check', { prompt: 'Tides turn every six hours.' }),
    'Tides turn every 6 hours and 12 minutes.',
  ]),
  tools: {
    research: researcher.asTool({ description: 'Finds facts' }),
    check: critic.asTool({ description: 'Checks facts' }),
  },
})

const run = supervisor.stream('How often do tides turn?')
const seen = new Set<string>()
for await (const chunk of run.fullStream) {
  if (chunk.type !== 'tool-result' || !chunk.preliminary) continue
  // The progress of the called agent.
  const { agentName, status, steps } = chunk.output as AgentProgress
  seen.add(`${agentName} is ${status}`)
  console.log(agentName, status, steps.at(-1)?.text)
}

const { text, steps, usage } = await run.result
const workers = steps.flatMap(({ toolResults }) => toolResults.map(({ agent }) => agent?.agentName))
console.log(text, workers, usage.totalTokens) // Tides turn … [ 'researcher', 'critic' ] 75
assert.deepEqual(workers, ['researcher', 'critic'])
assert.ok(seen.has('researcher is running') && seen.has('critic is completed'))
assert.equal(usage.totalTokens, 75)
