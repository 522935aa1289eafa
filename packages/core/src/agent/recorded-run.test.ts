import { ScriptedModel, toolCall } from '@millrace/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { RecordedPoint, RunRecorder } from '../loop/suspension/recorded-run-journal.ts'
import type { Processor } from '../processors/processor.ts'
import type { RunCall } from '../storage/run-store.ts'
import { tool } from '../tools/tool.ts'
import { Agent } from './agent.ts'
import { describeAgent, openRecordedRun, type RecordedState } from './recorded-run.ts'

/** An engine that keeps what it is told. */
class Engine implements RunRecorder {
  readonly points: { name: string; state: RecordedState }[] = []

  reach({ checkpoint, stepNumber, snapshot }: RecordedPoint): undefined {
    this.points.push({ name: `${checkpoint} ${stepNumber}`, state: { snapshot: snapshot(), calls: [] } })
  }

  startCall(): undefined {}

  finishCall(toolCallId: string, outcome: string): undefined {
    const { state } = this.points.at(-1) ?? {}
    const call: RunCall = {
      toolCallId,
      toolName: '',
      input: null,
      attempt: 1,
      startedAt: 0,
      finishedAt: 0,
      outcome,
    }
    if (state) state.calls = [...(state.calls ?? []), call]
  }

  suspend(): void {}
}

function agentThat(done: string[], processors: Processor[] = []): Agent {
  return new Agent({
    model: new ScriptedModel(({ prompt }) => {
      const step = prompt.filter(({ role }) => role === 'assistant').length
      done.push(`model ${step}`)
      return step < 2 ? toolCall('look', {}, { id: `look-${step}` }) : 'All is done.'
    }),
    tools: { look: tool({ inputSchema: z.object({}), execute: () => void done.push('look') }) },
    processors,
  })
}

const reviewing: Processor = {
  id: 'review',
  processInput() {},
  processToolCall() {},
  processToolStep() {},
  processOutputResult() {},
}

test('without hooks, a run is recorded only before its calls', async () => {
  const engine = new Engine()
  const run = openRecordedRun(agentThat([]), { runId: 'run-1', recorder: engine, from: { input: 'Hello' } })
  expect(await run.result).toMatchObject({ runId: 'run-1', text: 'All is done.' })
  expect(engine.points.map(({ name }) => name)).toEqual(['execute 0', 'execute 1'])
})

test('with hooks, it is recorded between them, and continues from each point with the rest', async () => {
  const engine = new Engine()
  const done: string[] = []
  const agent = agentThat(done, [reviewing])
  await openRecordedRun(agent, { runId: 'run-1', recorder: engine, from: { input: 'Hello' } }).result
  const all = [...done]
  expect(engine.points.map(({ name }) => name)).toEqual([
    'processInputStep 0',
    'processToolCall 0',
    'execute 0',
    'processInputStep 1',
    'processToolCall 1',
    'execute 1',
    'processInputStep 2',
    'processOutputResult 2',
  ])
  const left = []
  for (const { state } of engine.points) {
    done.length = 0
    const again = openRecordedRun(agent, { runId: 'run-1', recorder: new Engine(), from: { state } })
    expect(await again.text).toBe('All is done.')
    expect(done).toEqual(all.slice(all.length - done.length))
    left.push(done.length)
  }
  // A point before calls has how they ended, too.
  expect(left).toEqual([5, 4, 3, 3, 2, 1, 1, 0])
})

test('an agent with a processor that is bound to its process is refused', async () => {
  const bound: Processor = { id: 'bound', processInput() {}, boundToProcess: 'Pass a key.' }
  const agent = agentThat([], [bound])
  expect(() => describeAgent(agent)).toThrow("The processor 'bound' is bound to its process")
  const run = openRecordedRun(agent, { runId: 'run-1', recorder: new Engine(), from: { input: 'Hello' } })
  await expect(run.result).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
})

test.each([true, false])(
  'a released run is stored by processors unless another process has claimed it: %s',
  async (isHeld) => {
    const kept: unknown[] = []
    const keeping: Processor = {
      id: 'keeping',
      keepsIncomplete: true,
      processOutputResult: ({ incomplete }) => void kept.push(incomplete),
    }
    const stop = new AbortController()
    class Losing extends Engine {
      override reach(point: RecordedPoint): undefined {
        super.reach(point)
        if (point.stepNumber === 1) stop.abort()
      }
      isHeld = (): boolean => isHeld
    }
    const run = openRecordedRun(agentThat([], [keeping]), {
      runId: 'run-1',
      recorder: new Losing(),
      from: { input: 'Hello' },
      options: { abortSignal: stop.signal },
    })
    expect((await run.result).status).toBe('aborted')
    expect(kept).toEqual(isHeld ? ['stopped'] : [])
  },
)
