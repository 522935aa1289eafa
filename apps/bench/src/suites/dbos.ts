import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { Agent, tool } from '@millrace/core'
import { durable } from '@millrace/dbos'
import { z } from 'zod'
// The server of the package's tests.
import { startDatabase } from '../../../../packages/dbos/test/database.ts'
import type { Suite } from '../figure.ts'
import { measure } from '../measure.ts'
import { StreamModel, textAnswer, toolAnswer } from '../stream-model.ts'

/** Deltas of the answer. */
const DELTAS = 50
/** Concurrent runs. */
const AT_ONCE = 10

const answers = [toolAnswer('look', { what: 'wheel' }), textAnswer(DELTAS)]
const found = 'It turns. '.repeat(50)

/** The same steps by hand: a model call, a tool, a model call, with the parts of each answer in a stream. */
async function handWritten(question: string): Promise<string> {
  const messages: { role: string; content: unknown }[] = [{ role: 'user', content: question }]
  for (;;) {
    const { text, calls } = await DBOS.runStep(
      async () => {
        // A model for each run: concurrent runs would take each other's turns.
        const { stream } = await new StreamModel(answers[(messages.length - 1) / 2] ?? []).doStream()
        const parts: LanguageModelV4StreamPart[] = []
        for await (const part of stream) parts.push(part)
        await DBOS.writeStream('parts', parts)
        return {
          text: parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join(''),
          calls: parts.filter((part) => part.type === 'tool-call'),
        }
      },
      { name: 'model' },
    )
    if (calls.length === 0) {
      await DBOS.closeStream('parts')
      return text
    }
    const outputs = await Promise.all(calls.map(() => DBOS.runStep(async () => found, { name: 'look' })))
    messages.push({ role: 'assistant', content: { text, calls } }, { role: 'tool', content: outputs })
  }
}

const agent = new Agent({
  name: 'bench',
  model: {
    ...new StreamModel(),
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'bench',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('Only streams are measured.')),
    doStream: ({ prompt }) => {
      const step = prompt.filter(({ role }) => role === 'assistant').length
      return new StreamModel(answers[step] ?? []).doStream()
    },
  },
  tools: {
    look: tool({ inputSchema: z.object({ what: z.string() }), onInterrupted: 'retry', execute: () => found }),
  },
})

/** The cost of a durable run, compared with a hand-written workflow of the same steps. */
export const dbosSuite: Suite = {
  name: 'dbos',
  about: 'durable runs on DBOS, compared with a hand-written workflow of the same steps',
  async run({ quick }) {
    const server = await startDatabase('bench')
    const runs = durable(agent)
    const workflow = DBOS.registerWorkflow(handWritten, { name: 'hand-written' })
    DBOS.setConfig({ name: 'bench', systemDatabaseUrl: server.url, logLevel: 'error' })
    await DBOS.launch()
    const byHand = async () => (await DBOS.startWorkflow(workflow)('Does it turn?')).getResult()
    const byAgent = async () => (await runs.start('Does it turn?')).result()
    const many = (work: () => Promise<unknown>) => () => Promise.all(Array.from({ length: AT_ONCE }, work))
    try {
      const measurements = await measure({
        name: `dbos: ${AT_ONCE} runs of a tool call and an answer, side by side`,
        contestants: [
          { name: 'written by hand', run: many(byHand) },
          { name: 'durable agent', run: many(byAgent) },
        ],
        budgets: { 'durable agent': 1.15 },
        rounds: quick ? 15 : 31,
      })
      const perSecond = measurements.map(({ name, median }) => ({
        name: `dbos: ${name}`,
        value: (AT_ONCE / median) * 1_000,
        unit: 'runs a second',
      }))
      return { measurements, figures: perSecond }
    } finally {
      await DBOS.shutdown({ deregister: true })
      await server.stop()
    }
  },
}
