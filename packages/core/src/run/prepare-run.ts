import type { AgentOptions, Instructions, RunOptions } from '../agent-options.ts'
import { copyData } from '../copy-data.ts'
import { type AgentInput, isFromClient, parseInput, textInput } from '../messages/input.ts'
import type { SystemMessage } from '../messages/message.ts'
import { type AgentPipeline, forRequest } from '../processors/agent-pipeline.ts'
import { isThenable } from '../schema.ts'
import type { RunStore } from '../storage/run-store.ts'
import type { Run } from './run.ts'
import type { Step } from './step.ts'

/** Whose run it is: the agent's options and the call's, its processors, and where suspended runs are. */
export interface PrepareOptions {
  agent: AgentOptions
  call: RunOptions
  pipeline: AgentPipeline
  openStore: () => RunStore | Promise<RunStore>
}

/**
 * Resolves what depends on the request, and puts the input into the transcript. What a chat client sent may answer a
 * suspended run, which then is the one to go on with.
 */
export async function prepareRun(
  run: Run,
  given: AgentInput,
  options: PrepareOptions,
): Promise<Step | undefined> {
  const { agent, call, openStore } = options
  const { requestContext } = run
  const compiled = options.pipeline.for(call, requestContext)
  const pipeline = isThenable(compiled) ? await compiled : compiled
  let input = given
  if (isFromClient(input)) {
    const { readClientMessages } = await import('../ui/client-messages.ts')
    const remembers = agent.memory !== undefined || pipeline.remembers
    const store = await openStore()
    const read = await readClientMessages(input, { store, owner: requestContext, remembers })
    if ('answer' in read) return prepareResumed(run, read.answer, options)
    input = read.messages
  }
  run.pipeline = pipeline
  const instructions = await forRequest(call.instructions ?? agent.instructions ?? [], requestContext)
  const { messages, systemMessages } = typeof input === 'string' ? textInput(input) : await parseInput(input)
  run.systemMessages = [...copyData(systemMessagesOf(instructions)), ...systemMessages]
  run.messageList.add(messages, 'input')
  return undefined
}

/** Puts a suspended run in the place of a new one. */
export async function prepareResumed(
  run: Run,
  given: { runId: string; data: unknown },
  { call, pipeline, openStore }: PrepareOptions,
): Promise<Step | undefined> {
  // Loaded when needed: most runs never wait for anybody.
  const [{ resumeRun }, store] = await Promise.all([import('./resume-run.ts'), openStore()])
  return resumeRun(run, {
    ...given,
    data: copyData(given.data),
    store,
    pipelineFor: (context) => pipeline.for(call, context),
  })
}

function systemMessagesOf(
  instructions: Exclude<Instructions, (...args: never[]) => unknown>,
): readonly SystemMessage[] {
  if (typeof instructions === 'string') return [{ role: 'system', content: instructions }]
  return 'role' in instructions ? [instructions] : instructions
}
