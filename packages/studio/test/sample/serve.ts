// For work on the page: records a few conversations with an agent, and serves the page.
// node --conditions=@millrace/source packages/studio/test/sample/serve.ts [file] [port]
import { ScriptedModel } from '@millrace/testing'
import { studio } from '../../src/index.ts'
import { sampleAgent, TALKS } from './sample-agents.ts'

const [file, port = '4983'] = process.argv.slice(2)
const support = sampleAgent()
const echo = new ScriptedModel(
  ({ prompt }) => `You wrote ${JSON.stringify(prompt.at(-1)?.content).length} characters.`,
  {
    modelId: 'echo',
  },
)
const trace = studio({
  agents: { support },
  file: file ?? false,
  port: Number(port),
  models: { echo },
  processorSets: { none: [] },
  prices: { models: { 'sample-model': { input: 0.25, output: 2 } } },
})
for (const { input } of TALKS) {
  await support.generate(input, { threadId: 'sample', resourceId: 'ada' })
}
await trace.flush()
console.log(await trace.link())
// Keeps the process alive: the server does not.
setInterval(() => {}, 60_000)
