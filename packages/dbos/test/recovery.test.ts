import { setTimeout as wait } from 'node:timers/promises'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { Agent, HOOK_NAMES, type Processor, tool } from '@millrace/core'
import { PIIDetector } from '@millrace/pii'
import { ScriptedModel, toolCall } from '@millrace/testing'
import pg from 'pg'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { durable } from '../src/index.ts'
import { startDatabase } from './database.ts'

// A workflow that is forked at a step begins with the steps before as they were recorded: as one whose process died there.

let done: string[] = []
beforeEach(() => {
  done = []
})

const anything = z.object({}).loose()

/** A processor with all hooks, which counts their calls, in `state` too. */
const counting = {
  id: 'counting',
  ...Object.fromEntries(
    HOOK_NAMES.filter((hook) => hook !== 'processDelivery').map((hook) => [
      hook,
      (args: { state: Record<string, number>; part?: unknown; callModel?: () => unknown }) => {
        if (hook !== 'processOutputStream') done.push(hook)
        args.state[hook] = (args.state[hook] ?? 0) + 1
        return hook === 'processOutputStream'
          ? args.part
          : hook === 'wrapModelCall'
            ? args.callModel?.()
            : undefined
      },
    ]),
  ),
} as Processor

function acts(name: string, options: object = {}) {
  const execute = () => {
    done.push(name)
    return `${name} done`
  }
  return tool({ inputSchema: anything, execute, ...options })
}

/** A model that calls these tools, all of a list in one step, and then answers. */
function calling(...rounds: string[][]) {
  return new ScriptedModel(({ prompt }) => {
    const step = prompt.filter(({ role }) => role === 'assistant').length
    done.push(`model ${step}`)
    const names = rounds[step]
    return names ? names.map((name) => toolCall(name, {}, { id: `${name}-${step}` })) : 'All is done.'
  })
}

const tools = {
  look: acts('look', { onInterrupted: 'retry' }),
  pay: acts('pay'),
  tell: acts('tell', { onInterrupted: 'fail' }),
}
const watched = new Agent({
  name: 'watched',
  model: calling(['look', 'pay'], ['tell']),
  tools,
  processors: [counting],
})
const plain = new Agent({ name: 'plain', model: calling(['look', 'pay'], ['tell']), tools })
const rejecting = new Agent({
  name: 'rejecting',
  model: calling(),
  processors: [
    {
      id: 'judge',
      processOutputStep({ state, abort }) {
        done.push('judge')
        state.asked = ((state.asked as number) ?? 0) + 1
        if ((state.asked as number) < 3) abort('Again.', { retry: true })
      },
    },
  ],
})
/** Not durable: it works within the run that has handed off to it. */
const billing = new Agent({ name: 'billing', model: calling(['pay']), tools: { pay: tools.pay } })
const clerk = new Agent({ name: 'clerk', model: calling(['look']), tools })
/** An agent that hands the turn off, and answers itself once that has come to nothing. */
const handing = (name: string, to: Agent): Agent =>
  new Agent({
    name,
    model: new ScriptedModel(({ prompt }) => {
      const isFirst = !prompt.some(({ role }) => role === 'assistant')
      done.push(isFirst ? name : `${name} again`)
      return isFirst ? toolCall('transfer', { prompt: 'Pay.' }, { id: 'transfer-0' }) : 'All is done.'
    }),
    tools: { transfer: to.asTool({ handoff: true }) },
  })
const desk = handing('desk', billing)
const office = handing('office', clerk)
const long = new Agent({
  name: 'long',
  model: new ScriptedModel(({ prompt }) => {
    const step = prompt.filter(({ role }) => role === 'assistant').length
    const first = JSON.stringify(prompt.find(({ role }) => role === 'user'))
    const steps = Number(/(\d+) steps/.exec(first)?.[1])
    return step < steps ? toolCall('fetch', {}, { id: `fetch-${step}` }) : 'All is fetched.'
  }),
  tools: { fetch: tool({ inputSchema: anything, execute: () => 'x'.repeat(2_000) }) },
  processors: [counting],
  maxSteps: 100,
})

const durables = Object.fromEntries(
  [watched, plain, rejecting, clerk, desk, office, long].map((agent) => [
    agent.name,
    durable(agent, { queue: { pollMs: 10 } }),
  ]),
)

const server = await startDatabase()
const database = new pg.Pool({ connectionString: server.url, max: 2 })
DBOS.setConfig({ name: 'test', systemDatabaseUrl: server.url, logLevel: 'error' })
await DBOS.launch()
afterAll(async () => {
  await DBOS.shutdown()
  await database.end()
  await server.stop()
})

const start = (name: string, input = 'Hello') =>
  (durables[name] as NonNullable<(typeof durables)[string]>).start(input)

/** Begins the run again from each of its steps, and says what was done then. */
async function recoverEverywhere(
  name: string,
): Promise<{ all: string[]; steps: string[]; again: string[][] }> {
  const run = await start(name)
  await run.result()
  const all = done
  const recorded = (await DBOS.listWorkflowSteps(run.workflowId)) ?? []
  const again: string[][] = []
  for (const { functionID } of recorded) {
    done = []
    const handle = await DBOS.forkWorkflow(run.workflowId, functionID, { queueName: `millrace.${name}` })
    const forked = await (durables[name] as NonNullable<(typeof durables)[string]>).retrieve(
      handle.workflowID,
    )
    let answered = 0
    while ((await forked.status()) !== 'done') {
      const { payload } = ((await forked.suspension()) ?? {}) as { payload?: { type: string } }
      if (payload?.type === 'tool-interrupted' && answered++ === 0) {
        done.push('asked')
        await forked.resume({ output: 'It was done.' })
      }
      // Asking without a pause takes the time of the server that is asked.
      await wait(10)
    }
    expect((await forked.result()).text).toBe('All is done.')
    again.push(done)
  }
  return { all, steps: recorded.map(({ name }) => name), again }
}

test('a plain run goes on from each of its steps', async () => {
  const { all, steps, again } = await recoverEverywhere('plain')
  // Calls run side by side.
  expect(all.toSorted()).toEqual(['look', 'model 0', 'model 1', 'model 2', 'pay', 'tell'])
  expect(steps).toEqual(['start', 'look', 'pay', 'results', 'tell', 'results', 'DBOS.closeStream'])
  expect(again[0]?.toSorted()).toEqual(all.toSorted())
  expect(again.slice(1)).toEqual([
    // Both calls were begun: one may be repeated, and what became of the other has to be told.
    ['look', 'asked', 'model 1', 'tell', 'model 2'],
    ['asked', 'model 1', 'tell', 'model 2'],
    ['model 1', 'tell', 'model 2'],
    // A call that fails when it is interrupted is answered with an error.
    ['model 2'],
    ['model 2'],
    [],
  ])
})

test('a call that a person has had repeated is asked about again, if that is interrupted too', async () => {
  const plainRuns = durables.plain as NonNullable<(typeof durables)[string]>
  let run = await start('plain')
  await run.result()
  for (const answer of [{ retry: true }, { retry: true }, { error: 'There is no money left.' }]) {
    const steps = (await DBOS.listWorkflowSteps(run.workflowId)) ?? []
    const { functionID = 0 } = steps.findLast(({ name }) => name === 'pay') ?? {}
    const forked = await DBOS.forkWorkflow(run.workflowId, functionID, { queueName: 'millrace.plain' })
    run = await plainRuns.retrieve(forked.workflowID)
    await expect
      .poll(() => run.suspension())
      .toMatchObject({ payload: { type: 'tool-interrupted', toolCalls: [{ toolCallId: 'pay-0' }] } })
    done = []
    await run.resume(answer)
    expect((await run.result()).text).toBe('All is done.')
    expect(done.filter((one) => one === 'pay')).toHaveLength('retry' in answer ? 1 : 0)
  }
  const { steps } = await run.result()
  expect(JSON.stringify(steps[0])).toContain('There is no money left.')
})

test('no hook, model or tool of a step that is recorded is asked again', async () => {
  const { all, steps, again } = await recoverEverywhere('watched')
  expect(steps).toEqual([
    'start',
    'model 0',
    'decide calls 0',
    'look',
    'pay',
    'results',
    'model 1',
    'decide calls 1',
    'tell',
    'results',
    'model 2',
    'result 2',
    'DBOS.closeStream',
  ])
  for (const [index, deeds] of again.entries()) {
    const step = steps[index]
    if (step === 'look' || step === 'pay' || step === 'tell') continue
    // What is left to do is what was done last.
    expect(deeds.toSorted(), step).toEqual(all.slice(all.length - deeds.length).toSorted())
  }
  const inputs = again.map((deeds) => deeds.filter((one) => one === 'processInput').length)
  expect(inputs).toEqual([1, ...Array(steps.length - 1).fill(0)])
  const reviews = again.map((deeds) => deeds.filter((one) => one === 'processOutputStep').length)
  expect(reviews).toEqual([3, 3, 2, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0])
  const decisions = again.map((deeds) => deeds.filter((one) => one === 'processToolCall').length)
  expect(decisions).toEqual([3, 3, 3, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0])
})

test('a turn that was handed off to an agent that is not durable is not begun again without being told', async () => {
  const { all, steps, again } = await recoverEverywhere('desk')
  expect(all).toEqual(['desk', 'model 0', 'pay', 'model 1'])
  expect(steps).toEqual(['start', 'transfer', 'results', 'DBOS.closeStream'])
  expect(again).toEqual([all, ['asked', 'desk again'], ['asked', 'desk again'], []])
})

test('a turn that was handed off to a durable agent is that agent’s wherever the run goes on', async () => {
  const { all, steps, again } = await recoverEverywhere('office')
  expect(all).toEqual(['office', 'model 0', 'look', 'model 1'])
  expect(steps).toEqual(['start', 'transfer', 'results', 'DBOS.closeStream'])
  // The agent's run has the id of the one that is forked in its name, so that a fork begins another.
  expect(again).toEqual([all, all.slice(1), all.slice(1), []])
})

test('an answer that was rejected is not asked for again', async () => {
  const { steps, again } = await recoverEverywhere('rejecting')
  expect(steps).toEqual(['start', 'model 0', 'model 0', 'DBOS.closeStream'])
  expect(again.map((deeds) => deeds.filter((one) => one === 'judge').length)).toEqual([3, 2, 1, 0])
})

test('what is stored grows with the steps of a run, and not with their square', async () => {
  const sizes: number[] = []
  for (const steps of [6, 12, 24]) {
    const run = await start('long', `${steps} steps`)
    await run.result()
    const { rows } = await database.query(
      'SELECT sum(octet_length(output))::int AS bytes FROM dbos.operation_outputs WHERE workflow_uuid = $1',
      [run.workflowId],
    )
    sizes.push(rows[0].bytes)
  }
  const [small = 0, middle = 0, large = 0] = sizes
  expect(middle / small).toBeLessThan(2.2)
  expect(large / middle).toBeLessThan(2.2)
})

test('an agent whose placeholders are those of its process is refused', async () => {
  await DBOS.shutdown()
  const agent = (options: ConstructorParameters<typeof PIIDetector>[0]) =>
    new Agent({ name: 'private', model: calling(), processors: [new PIIDetector(options)] })
  expect(() => durable(agent({ redaction: 'tokenize' }))).toThrow(
    /'pii-detector' is bound to its process.*hashKey/s,
  )
  expect(() => durable(agent({ redaction: 'tokenize', hashKey: 'secret' }))).not.toThrow()
  await DBOS.launch()
})
