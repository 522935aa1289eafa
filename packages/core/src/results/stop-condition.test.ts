import { ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../agent/agent.ts'
import { tool } from '../tools/tool.ts'
import { hasToolCall, isStepCount, type StopCondition } from './stop-condition.ts'

expect.extend(matchers)

const look = tool({ inputSchema: z.object({}), execute: () => 'seen' })

function run(stopWhen: StopCondition | StopCondition[]) {
  const model = new ScriptedModel([[toolCall('look')], [toolCall('look')], 'Done.'])
  return new Agent({ model, tools: { look }, stopWhen }).generate('Hi')
}

test('the first true condition ends the run, and later ones are not evaluated', async () => {
  const unreachable: StopCondition = () => expect.unreachable()
  expect((await run([isStepCount(2)])).steps).toHaveLength(2)
  expect((await run([hasToolCall('look'), unreachable])).steps).toHaveLength(1)
  expect((await run(hasToolCall('other'))).text).toBe('Done.')
})

test.each([
  ['throws', () => fault()],
  ['rejects', () => Promise.reject(new Error('broken'))],
])('a condition that %s fails the run with a code of its own', async (_, broken) => {
  await expect(run([isStepCount(9), broken])).rejects.toMatchObject({
    code: 'RUN_STOP_CONDITION_FAILED',
    message: expect.stringContaining('Condition 1'),
    cause: { message: 'broken' },
  })
})

function fault(): never {
  throw new Error('broken')
}
