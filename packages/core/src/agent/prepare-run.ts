import { copyData } from '../copy-data.ts'
import { beginRun } from '../loop/begin-run.ts'
import type { AgentInput, ParsedInput } from '../messages/agent-input.ts'
import { checkList, textInput } from '../messages/input.ts'
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

/** Whose run it is: the agent's options and the call's, its processors, and where suspended runs are. */
export interface PrepareOptions {
  agent: AgentOptions
  call: RunOptions
  pipeline: Pick<AgentPipeline, 'for'>
  openStore: () => RunStore | Promise<RunStore>
  /** How runs are stored while they are under way. Times in milliseconds. */
  journal: { leaseMs: number; ttl: number; everyStep: boolean }
}

/**
 * Resolves what depends on the request, and puts the input into the transcript. What a chat client sent may answer a
 * suspended run, which then is the one to resume.
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
  let input: ParsedInput
  if (typeof given === 'string') input = textInput(given)
  else {
    // Loaded when needed: most input is a text. And kept: `import()` takes its time.
    clientMessages ??= await import('../ui/client-messages.ts')
    const read = await clientMessages.readClientMessages(checkList(given), {
      openStore,
      owner: requestContext,
      remembers: agent.memory !== undefined || pipeline.remembers,
      trusted: call.trusted === true,
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
    // Loaded when needed: few agents store every step.
    const { StoredRunJournal } = await import('../loop/suspension/stored-run-journal.ts')
    run.journal = new StoredRunJournal(run, { ...options.journal, store: await openStore() })
  }
  return undefined
}

/** Puts a suspended run in the place of a new one. */
export async function prepareResumed(
  run: Run,
  given: { runId: string; data: () => unknown },
  { agent, call, pipeline, openStore, journal }: PrepareOptions,
): Promise<Step | undefined> {
  // Loaded when needed: most runs are never suspended.
  const [{ resumeRun }, store] = await Promise.all([import('../loop/suspension/resume-run.ts'), openStore()])
  return resumeRun(run, {
    ...given,
    data: copyData(given.data),
    store,
    journal,
    pipelineFor: (context) => pipeline.for(call, context),
    listTools: () => listTools(run, agent),
  })
}

/** Gives a stored run up, once what it has done is kept. Returns whether it could still be resumed. */
export async function releaseKept(
  run: Run,
  given: { runId: string; store: RunStore },
  { agent, call, pipeline, journal }: PrepareOptions,
): Promise<boolean> {
  // Loaded when needed: few runs are given up.
  const { releaseRun } = await import('../loop/suspension/release-run.ts')
  return releaseRun(run, {
    ...given,
    journal,
    pipelineFor: (context) => pipeline.for(call, context),
    listTools: () => listTools(run, agent),
  })
}

/** Lists the tools of a run, where that takes a function. */
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
