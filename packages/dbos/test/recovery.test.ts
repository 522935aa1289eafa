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

// A workflow that is forked at a step starts with the recorded steps before it, like one whose process died
// there.

let done: string[] = []
beforeEach(() => {
  done = []
})

const anything = z.object({}).loose()

/** A processor with all hooks, which counts its calls, also in `state`. */
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

/** A model that calls these tools, one list per step, and then answers. */
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
/** Not durable: it runs inside the run that has handed off to it. */
const billing = new Agent({ name: 'billing', model: calling(['pay']), tools: { pay: tools.pay } })
const clerk = new Agent({ name: 'clerk', model: calling(['look']), tools })
/** An agent that hands the turn off, and answers itself if the handoff fails. */
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

/** Forks the run at each of its steps, and returns what was executed then. */
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

test('a run recovers from each of its steps', async () => {
  const { all, steps, again } = await recoverEverywhere('plain')
  // Calls run in parallel.
  expect(all.toSorted()).toEqual(['look', 'model 0', 'model 1', 'model 2', 'pay', 'tell'])
  expect(steps).toEqual(['start', 'look', 'pay', 'results', 'tell', 'results', 'DBOS.closeStream'])
  expect(again[0]?.toSorted()).toEqual(all.toSorted())
  expect(again.slice(1)).toEqual([
    // Both calls were started: one may be repeated, and the outcome of the other must be passed to resume().
    ['look', 'asked', 'model 1', 'tell', 'model 2'],
    ['asked', 'model 1', 'tell', 'model 2'],
    ['model 1', 'tell', 'model 2'],
    // With `onInterrupted: 'fail'`, an interrupted call is answered with an error.
    ['model 2'],
    ['model 2'],
    [],
  ])
})

test('a call that was repeated by a person suspends again if it is interrupted again', async () => {
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

test('no hook, model or tool of a recorded step is called again', async () => {
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
  for (const [index, actions] of again.entries()) {
    const step = steps[index]
    if (step === 'look' || step === 'pay' || step === 'tell') continue
    // The remaining work is the end of the whole list.
    expect(actions.toSorted(), step).toEqual(all.slice(all.length - actions.length).toSorted())
  }
  const inputs = again.map((actions) => actions.filter((one) => one === 'processInput').length)
  expect(inputs).toEqual([1, ...Array(steps.length - 1).fill(0)])
  const reviews = again.map((actions) => actions.filter((one) => one === 'processOutputStep').length)
  expect(reviews).toEqual([3, 3, 2, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0])
  const decisions = again.map((actions) => actions.filter((one) => one === 'processToolCall').length)
  expect(decisions).toEqual([3, 3, 3, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0])
})

test('a turn that was handed off to an agent that is not durable is repeated only when it is resumed so', async () => {
  const { all, steps, again } = await recoverEverywhere('desk')
  expect(all).toEqual(['desk', 'model 0', 'pay', 'model 1'])
  expect(steps).toEqual(['start', 'transfer', 'results', 'DBOS.closeStream'])
  expect(again).toEqual([all, ['asked', 'desk again'], ['asked', 'desk again'], []])
})

test('a turn that was handed off to a durable agent stays with that agent in every process', async () => {
  const { all, steps, again } = await recoverEverywhere('office')
  expect(all).toEqual(['office', 'model 0', 'look', 'model 1'])
  expect(steps).toEqual(['start', 'transfer', 'results', 'DBOS.closeStream'])
  // The child run's id contains that of the forked run, so a fork starts another child run.
  expect(again).toEqual([all, all.slice(1), all.slice(1), []])
})

test('a rejected answer is not generated again', async () => {
  const { steps, again } = await recoverEverywhere('rejecting')
  expect(steps).toEqual(['start', 'model 0', 'model 0', 'DBOS.closeStream'])
  expect(again.map((actions) => actions.filter((one) => one === 'judge').length)).toEqual([3, 2, 1, 0])
})

test('the stored size grows linearly with the steps of a run', async () => {
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

test('durable() refuses an agent with placeholders that only its process knows', async () => {
  await DBOS.shutdown()
  const agent = (options: ConstructorParameters<typeof PIIDetector>[0]) =>
    new Agent({ name: 'private', model: calling(), processors: [new PIIDetector(options)] })
  expect(() => durable(agent({ redaction: 'tokenize' }))).toThrow(
    /'pii-detector' is bound to its process.*hashKey/s,
  )
  expect(() => durable(agent({ redaction: 'tokenize', hashKey: 'secret' }))).not.toThrow()
  await DBOS.launch()
})
