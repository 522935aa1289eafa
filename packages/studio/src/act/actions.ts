import {
  type Agent,
  type LanguageModel,
  type Message,
  MillraceError,
  type ProcessorEntry,
  type RunOptions,
  type SuspendedRun,
  textOfParts,
} from '@millrace/core'
import type { Library } from '../library.ts'
import type { RecordedEvent } from '../record/recorded-event.ts'
import type { Recorder } from '../record/recorder.ts'
import { StudioError } from '../studio-error.ts'
import type {
  AnswerRequest,
  ChatRequest,
  ReplayRequest,
  ReplayStarted,
  RunStarted,
  SuspendedView,
} from '../wire.ts'
import { recordedTools } from './recorded-tools.ts'
import { startRun } from './start-run.ts'
import { answerData, suspendedView, waitingFor } from './waiting.ts'

export interface ActionsOptions {
  agents: ReadonlyMap<string, Agent>
  models: Readonly<Record<string, LanguageModel>>
  processorSets: Readonly<Record<string, readonly ProcessorEntry[]>>
  library: Library
  recorder: Recorder
}

/** The `resourceId` of threads that start in Studio, and who decides here. */
const OWNER = 'studio'

/** Actions on the agents of this process: resume, release, replay, chat. */
export class Actions {
  readonly #options: ActionsOptions

  constructor(options: ActionsOptions) {
    this.#options = options
  }

  /** The suspended runs, oldest first. */
  async suspended(): Promise<SuspendedView[]> {
    const { store } = this.#options.library
    const views = (await this.#suspendedRuns()).map(({ run, name }) =>
      suspendedView(run, { agentName: name, recorded: store.get(run.runId) !== undefined }),
    )
    return views.sort((a, b) => a.createdAt - b.createdAt)
  }

  /** @throws StudioError `NOT_FOUND`, `CONFLICT`, `REQUEST_INVALID` */
  async answer(runId: string, request: AnswerRequest): Promise<RunStarted> {
    const { agent, run } = await this.#waitingRun(runId)
    const waiting = run.interrupted ? ({ type: 'nothing' } as const) : waitingFor(run.payload)
    const data = answerData(request, waiting)
    return {
      runId: await startOrRefuse(() => startRun(agent.resume(runId, data, { ...ownerOf(run), by: OWNER }))),
    }
  }

  /** @throws StudioError `NOT_FOUND` */
  async release(runId: string): Promise<boolean> {
    const { agent, run } = await this.#waitingRun(runId)
    return agent.release(runId, ownerOf(run))
  }

  /** @throws StudioError `NOT_FOUND`, `REFUSED`, `REQUEST_INVALID` */
  async replay(runId: string, request: ReplayRequest): Promise<ReplayStarted> {
    const { library, recorder } = this.#options
    const { row, events } = this.#beginningOf(runId)
    const agent = this.#agentOf(row.agentName)
    const input = events.find((event) => event.name === 'run-start')?.input
    if (!input)
      throw new StudioError('REFUSED', 'The input of the run was not recorded, so it cannot be replayed.')
    const isRecorded = (request.tools ?? 'recorded') === 'recorded'
    const stub = isRecorded ? [recordedTools(this.#attemptEvents(runId))] : []
    const options = this.#runOptions(request, stub)
    const started = await startOrRefuse(() =>
      startRun(
        agent.stream(withInput(input.messages, request.input), {
          ...options,
          trusted: true,
          ...(request.instructions !== undefined && { instructions: request.instructions }),
        }),
      ),
    )
    recorder.markReplay(started, row.id)
    library.notify(new Set([row.id]), [])
    return { runId: started, originalId: row.id }
  }

  /** @throws StudioError `NOT_FOUND`, `REFUSED`, `REQUEST_INVALID` */
  async chat(agentName: string, request: ChatRequest): Promise<{ runId: string; threadId: string }> {
    const agent = this.#agentOf(agentName)
    const { text, threadId = `studio-${crypto.randomUUID()}`, resourceId = OWNER } = request
    const options = this.#runOptions(request, [])
    const runId = await startOrRefuse(() =>
      startRun(agent.stream(text, { ...options, threadId, resourceId })),
    )
    return { runId, threadId }
  }

  #runOptions(
    { model, processors }: Pick<ReplayRequest, 'model' | 'processors'>,
    added: ProcessorEntry[],
  ): RunOptions {
    const { models, processorSets } = this.#options
    const chosen = model === undefined ? undefined : own(models, model)
    if (model !== undefined && chosen === undefined) throw unknown('model', model, Object.keys(models))
    const set = processors === undefined ? undefined : own(processorSets, processors)
    if (processors !== undefined && !set)
      throw unknown('set of processors', processors, Object.keys(processorSets))
    return {
      ...(chosen !== undefined && { model: chosen }),
      ...(set
        ? {
            processors: { list: [...set, ...added], replace: true },
            inputProcessors: { list: [], replace: true },
            outputProcessors: { list: [], replace: true },
          }
        : { processors: added }),
    }
  }

  /** The events of the run; of a resumed run, those of the first attempt, which has the input. */
  #beginningOf(runId: string): { row: ReturnType<Library['rowOf']>; events: RecordedEvent[] } {
    const { library } = this.#options
    const row = library.rowOf(runId)
    const [first = row] = library.store.attempts(runId)
    return { row: first, events: library.store.events(first.id).events }
  }

  /** The events of all attempts: calls are also answered after an approval. */
  #attemptEvents(runId: string): RecordedEvent[] {
    const { store } = this.#options.library
    return store.attempts(runId).flatMap(({ id }) => store.events(id).events)
  }

  async #waitingRun(runId: string): Promise<{ agent: Agent; run: SuspendedRun }> {
    const found = (await this.#suspendedRuns()).find(({ run }) => run.runId === runId)
    if (found) return found
    throw new StudioError(
      'NOT_FOUND',
      `The run '${runId.slice(0, 80)}' is not suspended. It may have been resumed, released or expired.`,
    )
  }

  async #suspendedRuns(): Promise<{ agent: Agent; name: string; run: SuspendedRun }[]> {
    const lists = await Promise.all(
      [...this.#options.agents].map(async ([name, agent]) => {
        const runs = await agent.suspendedRuns({ allResources: true })
        // Several agents may share a store.
        return runs.filter((run) => run.agentName === agent.name).map((run) => ({ agent, name, run }))
      }),
    )
    const seen = new Set<string>()
    return lists.flat().filter(({ run }) => !seen.has(run.runId) && seen.add(run.runId))
  }

  #agentOf(name: string): Agent {
    const agent = this.#options.agents.get(name)
    if (agent) return agent
    throw new StudioError(
      'NOT_FOUND',
      `There is no agent '${name.slice(0, 80)}'. Use one of: ${[...this.#options.agents.keys()].join(', ')}.`,
    )
  }
}

function ownerOf({ resourceId }: SuspendedRun): { resourceId?: string } {
  return resourceId === undefined ? {} : { resourceId }
}

/** Errors of a run that cannot start become `REFUSED`, with their message. */
async function startOrRefuse(begin: () => Promise<string>): Promise<string> {
  try {
    return await begin()
  } catch (error) {
    if (!MillraceError.isInstance(error)) throw error
    const isGone = ['RUN_ALREADY_RESUMED', 'RUN_RELEASED', 'RUN_EXPIRED', 'RUN_LEASE_LOST'].includes(
      error.code,
    )
    throw new StudioError(isGone ? 'CONFLICT' : 'REFUSED', error.message)
  }
}

/** The messages of a run, without files, whose content is not recorded. `input` replaces the last user message. */
function withInput(messages: readonly Message[], input: string | undefined): Message[] {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  return messages.map((message, index) => {
    const createdAt = new Date(message.createdAt)
    const { content } = message
    if (index === last && input !== undefined) {
      return { ...message, createdAt, content: { ...content, parts: [{ type: 'text', text: input }] } }
    }
    const parts = content.parts.filter(({ type }) => type !== 'file')
    if (parts.length === 0) parts.push({ type: 'text', text: textOfParts(content.parts) || '(a file)' })
    return { ...message, createdAt, content: { ...content, parts } }
  })
}

function own<VALUE>(values: Readonly<Record<string, VALUE>>, name: string): VALUE | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

function unknown(what: string, name: string, known: readonly string[]): StudioError {
  const names = known.length > 0 ? `Use one of: ${known.join(', ')}.` : 'None is registered.'
  return new StudioError('REQUEST_INVALID', `There is no ${what} '${name.slice(0, 80)}'. ${names}`)
}
