import { Agent, type Processor, RequestContext, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ToolAllowList, type ToolAllowListOptions } from './tool-allow-list.ts'

expect.extend(matchers)

const executed: string[] = []
const file = (name: string) =>
  tool({
    inputSchema: z.object({ path: z.string() }),
    execute: ({ path }) => {
      executed.push(`${name} ${path}`)
      return 'done'
    },
  })
const tools = { read: file('read'), remove: file('remove'), constructor: file('constructor') }
/** Shows all tools again, as a processor or `prepareStep` after the list may do. */
const showsAll: Processor = { id: 'shows-all', processInputStep: () => ({ activeTools: Object.keys(tools) }) }

const calls = [
  toolCall('read', { path: 'docs/a' }),
  toolCall('remove', { path: 'docs/a' }),
  toolCall('read', { path: '/etc/passwd' }),
]

async function run(allow: ToolAllowListOptions['allow'], { role }: { role?: string } = {}) {
  executed.length = 0
  const model = new ScriptedModel([calls, 'Answer'])
  const processors = [new ToolAllowList({ allow }), showsAll]
  const agent = new Agent({ model, tools, processors })
  const result = await agent.generate('Go', { requestContext: new RequestContext({ role }) })
  return { model, result, outcomes: result.steps[0]?.toolResults.map(({ status }) => status) }
}

test('hides tools that are not allowed, and a call of one finds no tool', async () => {
  const model = new ScriptedModel([calls, 'Answer'])
  const agent = new Agent({ model, tools, processors: [new ToolAllowList({ allow: ['read'] })] })
  const { steps } = await agent.generate('Go')
  expect(model.calls.map((call) => call.tools?.map(({ name }) => name))).toEqual([['read'], ['read']])
  expect(steps[0]?.toolResults.map(({ status }) => status)).toEqual(['success', 'error', 'success'])
})

test('denies tools that are not allowed, even if the model was shown them', async () => {
  const { result, outcomes } = await run(['read'])
  expect(outcomes).toEqual(['success', 'denied', 'success'])
  expect(executed).toEqual(['read docs/a', 'read /etc/passwd'])
  expect(result.steps[0]?.toolResults[1]).toMatchObject({
    reason: "The tool 'remove' may not be used here.",
  })
  expect(result.messages).toPairEveryToolCall()
  expect(result.steps[0]?.processors).toContainEqual(
    expect.objectContaining({ processorId: 'tool-allow-list', hook: 'processToolCall', action: 'denied' }),
  )
})

test('checks the input by a rule, which may return a reason', async () => {
  const { result, outcomes } = await run({
    remove: true,
    read: ({ path }) => path.startsWith('docs/') || 'Only files in docs/.',
  })
  expect(outcomes).toEqual(['success', 'success', 'denied'])
  expect(result.steps[0]?.toolResults[2]).toMatchObject({ reason: 'Only files in docs/.' })
})

test('treats any value but true as a denial', async () => {
  for (const verdict of [false, undefined, '', 0, {}, Promise.resolve(false)]) {
    const { outcomes } = await run({ remove: true, read: () => verdict as false })
    expect(outcomes).toEqual(['denied', 'success', 'denied'])
  }
})

test('depends on the request', async () => {
  const allow = async ({ get }: Pick<RequestContext, 'get'>) => (get('role') === 'admin' ? ['remove'] : [])
  const byRole = (context: RequestContext) => allow({ get: (key) => context.get(key) })
  expect((await run(byRole, { role: 'admin' })).outcomes).toEqual(['denied', 'success', 'denied'])
  expect((await run(byRole)).outcomes).toEqual(['denied', 'denied', 'denied'])
  expect(executed).toEqual([])
})

test('fails the run, and executes nothing, if a rule or the list throws', async () => {
  const failing = () => {
    throw new Error('The directory of users is down.')
  }
  await expect(run(failing)).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
  await expect(run({ read: failing, remove: true })).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
  await expect(run((() => undefined) as never)).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
  expect(executed).toEqual([])
})

test('does not find tools by names of Object.prototype', async () => {
  const model = new ScriptedModel([toolCall('constructor', { path: 'x' }), 'Answer'])
  executed.length = 0
  const agent = new Agent({
    model,
    tools,
    processors: [new ToolAllowList({ allow: { read: true } }), showsAll],
  })
  const { steps } = await agent.generate('Go')
  expect(steps[0]?.toolResults[0]?.status).toBe('denied')
  expect(executed).toEqual([])
})

test('drops a tool choice of a hidden tool', async () => {
  const model = new ScriptedModel(['Answer'])
  const agent = new Agent({
    model,
    tools,
    toolChoice: { type: 'tool', toolName: 'remove' },
    processors: [new ToolAllowList({ allow: ['read'] })],
  })
  await agent.generate('Go')
  expect(model.lastCall.toolChoice).toEqual({ type: 'auto' })
})

test('rejects invalid rules', () => {
  expect(() => new ToolAllowList({ allow: { read: 'yes' } as never })).toThrow(
    "allow has string for the tool 'read'",
  )
})
