import { Agent, type Processor } from '@millrace/core'
import { createHandler } from '@millrace/server'
import { ScriptedModel } from '@millrace/testing'
import { expect, test } from 'vitest'

const warmedUp: string[] = []

function agentWith(id: string, warmUp: NonNullable<Processor['warmUp']>): Agent {
  return new Agent({
    model: new ScriptedModel(['Hello.']),
    processors: [{ id, processInput: () => {}, warmUp }],
  })
}

test('handler.warmUp() warms up every agent, and rejects where one cannot load', async () => {
  const good = (id: string) => agentWith(id, () => void warmedUp.push(id))
  const authenticate = () => undefined
  await createHandler({ agents: { one: good('a'), two: good('b') }, authenticate }).warmUp()
  expect(warmedUp).toEqual(['a', 'b'])
  const broken = agentWith('broken', () => Promise.reject(new Error('no such file')))
  await expect(createHandler({ agents: { broken }, authenticate }).warmUp()).rejects.toMatchObject({
    code: 'PROCESSOR_FAILED',
    message: expect.stringContaining("'broken'"),
  })
})
