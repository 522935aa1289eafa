import { compilePipeline, isProvider, type Pipeline, type ProcessorEntry } from '../processors/pipeline.ts'
import type { Processor } from '../processors/processor.ts'
import type { RequestContext } from '../request-context.ts'
import type { RunStore } from '../storage/run-store.ts'
import type {
  AgentOptions,
  PerRequest,
  ProcessorList,
  ProcessorOverride,
  RunOptions,
} from './agent-options.ts'

/** The processors of an agent's runs. Compiled once if they depend neither on the request nor on the call. */
export class AgentPipeline {
  /** The store of the first provider that has one. */
  readonly storage: RunStore | undefined
  readonly #options: AgentOptions
  readonly #compiled: Pipeline | undefined

  /** @throws MillraceError `CONFIG_…` */
  constructor(options: AgentOptions) {
    const { processors = [], inputProcessors = [], outputProcessors = [] } = options
    this.#options = options
    if (isList(processors) && isList(inputProcessors) && isList(outputProcessors)) {
      this.#compiled = this.#compile({ processors, inputProcessors, outputProcessors }, {})
    }
    this.storage = storageOf(options)
  }

  /** The pipeline of every run, if it depends neither on the request nor on the call. */
  get compiled(): Pipeline | undefined {
    return this.#compiled
  }

  /**
   * The pipeline of one run.
   *
   * @throws MillraceError `CONFIG_…`
   */
  for(call: RunOptions, requestContext: RequestContext): Pipeline | Promise<Pipeline> {
    const { processors, inputProcessors, outputProcessors, prepareStep } = call
    const asks = processors || inputProcessors || outputProcessors || prepareStep
    return this.#compiled && !asks ? this.#compiled : this.#compileFor(call, requestContext)
  }

  async #compileFor(call: RunOptions, requestContext: RequestContext): Promise<Pipeline> {
    const { processors, inputProcessors, outputProcessors } = call
    const own = this.#options
    return this.#compile(
      {
        processors: await extend(own.processors, processors, requestContext),
        inputProcessors: await extend(own.inputProcessors, inputProcessors, requestContext),
        outputProcessors: await extend(own.outputProcessors, outputProcessors, requestContext),
      },
      call,
    )
  }

  /** `prepareStep` becomes a processor after all others. */
  #compile(lists: Lists, call: RunOptions): Pipeline {
    const { memory, prepareStep: own } = this.#options
    const prepareStep = call.prepareStep ?? own
    const last: Processor | undefined = prepareStep && { id: 'prepareStep', processInputStep: prepareStep }
    return compilePipeline({ ...lists, memory, last })
  }
}

function storageOf({
  memory,
  processors,
  inputProcessors,
  outputProcessors,
}: AgentOptions): RunStore | undefined {
  const listed = [processors, inputProcessors, outputProcessors].flatMap((list = []) =>
    isList(list) ? list.filter(isProvider) : [],
  )
  return [...(memory ? [memory] : []), ...listed].find(({ storage }) => storage !== undefined)?.storage
}

interface Lists {
  processors: readonly ProcessorEntry[]
  inputProcessors: readonly ProcessorEntry[]
  outputProcessors: readonly ProcessorEntry[]
}

function isList(list: ProcessorList): list is readonly ProcessorEntry[] {
  return typeof list !== 'function'
}

async function extend(
  own: ProcessorList | undefined,
  override: ProcessorOverride | undefined,
  requestContext: RequestContext,
): Promise<readonly ProcessorEntry[]> {
  if (override && 'list' in override) return forRequest(override.list, requestContext)
  return [
    ...(await forRequest(own ?? [], requestContext)),
    ...(await forRequest(override ?? [], requestContext)),
  ]
}

/** The value of an option for a request. */
export function forRequest<T>(option: PerRequest<T>, requestContext: RequestContext): T | Promise<T> {
  return typeof option === 'function'
    ? (option as (requestContext: RequestContext) => T | Promise<T>)(requestContext)
    : option
}
