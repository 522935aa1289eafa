import { copyData } from '../copy-data.ts'
import { beginRun } from '../loop/begin-run.ts'
import type { AgentInput, ParsedInput } from '../messages/agent-input.ts'
import { textInput } from '../messages/input.ts'
import type { SystemMessage } from '../messages/message.ts'
import type { RequestContext } from '../request-context.ts'
import type { Run } from '../run/run.ts'
import type { Step } from '../run/step.ts'
import { isThenable } from '../schema.ts'
import type { RunStore } from '../storage/run-store.ts'
import type { ToolSet } from '../tools/tool.ts'
import { type AgentOptions, checkTools, type Instructions, type RunOptions } from './agent-options.ts'
import { type AgentPipeline, forRequest } from './agent-pipeline.ts'

let clientMessages: typeof import('../ui/client-messages.ts') | undefined

/** The options of the agent and of the call, the processors, and the store of suspended runs. */
export interface PrepareOptions {
  agent: AgentOptions
  call: RunOptions
  pipeline: Pick<AgentPipeline, 'for'>
  openStore: () => RunStore | Promise<RunStore>
  /** How running runs are stored. Times in milliseconds. */
  journal: { leaseMs: number; ttl: number; everyStep: boolean }
}

/**
 * Resolves options that depend on the request, and adds the input to the transcript. If a chat client's messages
 * answer a suspended run, that run is resumed.
 */
export async function prepareRun(
  run: Run,
  given: AgentInput,
  options: PrepareOptions,
): Promise<Step | undefined> {
  const { agent, call } = options
  const { requestContext } = run
  const compiled = options.pipeline.for(call, requestContext)
  const pipeline = isThenable(compiled) ? await compiled : compiled
  let input: ParsedInput
  if (typeof given === 'string' && call.userMessageMetadata === undefined) input = textInput(given)
  else {
    // Loaded on demand, because most input is a string alone. Cached, because `import()` costs time on every call.
    clientMessages ??= await import('../ui/client-messages.ts')
    const read = await clientMessages.readClientMessages(given, {
      ...options,
      owner: requestContext,
      remembers: agent.memory !== undefined || pipeline.remembers,
    })
    if ('answer' in read) {
      const { runId, data } = read.answer
      return prepareResumed(run, { runId, data: () => data }, options)
    }
    input = read.input
    if (read.leftOut > 0) run.state.warnings.push({ type: 'input-left-out', messages: read.leftOut })
  }
  const { messages, systemMessages } = input
  await beginRun(run, pipeline)
  const listing = listTools(run, agent)
  if (listing) await listing
  const instructions = await forRequest(call.instructions ?? agent.instructions ?? [], requestContext)
  run.state.systemMessages = [...copyData(systemMessagesOf(instructions)), ...systemMessages]
  run.messageList.add(messages, 'input')
  if (options.journal.everyStep) {
    // Loaded on demand: few agents store every step.
    const { StoredRunJournal } = await import('../loop/suspension/stored-run-journal.ts')
    run.journal = new StoredRunJournal(run, { ...options.journal, store: await options.openStore() })
  }
  return undefined
}

/** Restores a suspended run into a new one. */
export async function prepareResumed(
  run: Run,
  given: { runId: string; data: () => unknown },
  { agent, call, pipeline, openStore, journal }: PrepareOptions,
): Promise<Step | undefined> {
  // Loaded on demand: most runs are never suspended.
  const [{ resumeRun }, store] = await Promise.all([import('../loop/suspension/resume-run.ts'), openStore()])
  return resumeRun(run, {
    ...given,
    data: copyData(given.data),
    store,
    journal,
    pipelineFor: (context) => pipeline.for(call, context),
    listTools: () => listTools(run, agent),
    mayAnswer: call.mayAnswer,
  })
}

/** Releases a stored run, after storing what it has done. Returns whether it could have been resumed. */
export async function releaseStored(
  run: Run,
  given: { runId: string; store: RunStore },
  { agent, call, pipeline, journal }: PrepareOptions,
): Promise<boolean> {
  // Loaded on demand: few runs are released.
  const { releaseRun } = await import('../loop/suspension/release-run.ts')
  return releaseRun(run, {
    ...given,
    journal,
    pipelineFor: (context) => pipeline.for(call, context),
    listTools: () => listTools(run, agent),
  })
}

/** Lists the tools of a run, if `tools` is a function. */
export function listTools(run: Run, { tools }: AgentOptions): Promise<void> | undefined {
  return typeof tools === 'function' ? list(run, tools) : undefined
}

async function list(run: Run, tools: (requestContext: RequestContext) => unknown): Promise<void> {
  const listed = (await tools(run.requestContext)) as ToolSet
  checkTools(listed)
  run.settings.tools = listed
}

function systemMessagesOf(
  instructions: Exclude<Instructions, (...args: never[]) => unknown>,
): readonly SystemMessage[] {
  if (typeof instructions === 'string') return [{ role: 'system', content: instructions }]
  return 'role' in instructions ? [instructions] : instructions
}
