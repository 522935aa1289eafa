import { DBOS } from '@dbos-inc/dbos-sdk'
import {
  Agent,
  type AgentInput,
  MillraceError,
  type OptionNames,
  type RunFilter,
  type RunOptions,
  requireOptions,
  type UserMessageMetadata,
} from '@millrace/core'
import { type AgentOpener, activeTrace, describeAgent, RUN_OPTIONS } from '@millrace/core/recording'
import { parseListRuns, RUN_FILTER } from '@millrace/core/storage'
import { openChild } from './child-run.ts'
import { DurableRun, findWorkflow, ownerAttribute, RUN_OWNER, type RunOwner } from './durable-run.ts'
import type { SuspensionInfo } from './live-run.ts'
import { checkQueue, QUEUE_OPTIONS, type QueueOptions, registerQueue } from './queue.ts'
import { type WorkflowInput, workOnRun } from './run-workflow.ts'
import { unlessShutDown } from './unless-shut-down.ts'

export interface DurableOptions {
  /**
   * The name of the agent's workflows and queue. Unique in the application, and the same in every version.
   * Default: the agent's name.
   */
  name?: string
  /**
   * Runs wait in a queue, and start in any process. Default: runs start immediately, in the process that
   * starts them.
   */
  queue?: QueueOptions
  /**
   * Options of every run: an output schema, a timeout, limits. They are not stored: each process uses its
   * own.
   */
  run?: Omit<RunOptions, 'threadId' | 'resourceId' | 'requestContext' | 'abortSignal' | 'userMessageMetadata'>
}

const {
  threadId: _,
  resourceId: __,
  requestContext: ___,
  abortSignal: ____,
  userMessageMetadata: _____,
  ...DURABLE_RUN_OPTIONS
} = RUN_OPTIONS

const DURABLE_OPTIONS: OptionNames<DurableOptions> = {
  name: 'optional',
  queue: QUEUE_OPTIONS,
  run: DURABLE_RUN_OPTIONS,
}

export interface StartOptions {
  /** The thread of the run. */
  threadId?: string
  /** The owner of the run: a user, a tenant. It is required to find the run. */
  resourceId?: string
  /** The id of the run. If a run with this id exists, that run is returned. Default: a random id. */
  workflowId?: string
  /** The values of the run's request context. They are stored, as JSON. */
  context?: Record<string, unknown>
  /** The application's metadata of the user's message, as JSON: see `RunOptions`. */
  userMessageMetadata?: UserMessageMetadata
}

/** Which suspended runs to list. */
export interface DurableRunFilter extends RunFilter {
  /** Only the children of this workflow. */
  parentWorkflowId?: string | undefined
}

const START_OPTIONS: OptionNames<StartOptions> = {
  threadId: 'optional',
  resourceId: 'optional',
  workflowId: 'optional',
  context: 'optional',
  userMessageMetadata: 'optional',
}

/** A suspended run. */
export interface SuspendedDurableRun extends SuspensionInfo {
  workflowId: string
  threadId?: string
  resourceId?: string
}

const DURABLE_RUN_FILTER: OptionNames<DurableRunFilter> = { ...RUN_FILTER, parentWorkflowId: 'optional' }

/** The version of the recorded data. Increase it when older data cannot be read any more. */
const FORMAT = 2

const durables = new WeakMap<Agent, DurableAgent>()

/**
 * Makes each run of an agent a DBOS workflow: it survives the death of its process, and can be started, read
 * and resumed in any process. Call this before `DBOS.launch()`, in every process that executes such runs.
 *
 * @throws MillraceError `CONFIG_INVALID`
 *
 * @example
 * const support = durable(agent, { name: 'support', queue: { concurrency: 10, perResource: 2 } })
 * await DBOS.launch()
 * const run = await support.start('Where is my order?', { threadId, resourceId })
 */
export function durable(agent: Agent, options: DurableOptions = {}): DurableAgent {
  return new DurableAgent(agent, options)
}

/** The durable agent of an agent, if `durable()` was called for it. */
export function durableOf(agent: Agent): DurableAgent | undefined {
  return durables.get(agent)
}

/** An agent whose runs are DBOS workflows. */
export class DurableAgent {
  readonly name: string
  /** The name of its workflows in DBOS. */
  readonly workflowName: string
  readonly #queue: string | undefined
  readonly #perResource: boolean
  readonly #work: (given: WorkflowInput) => Promise<string>

  constructor(agent: Agent, given: DurableOptions) {
    const { name = agent?.name, queue, run = {} } = requireOptions('durable()', given, DURABLE_OPTIONS)
    check(agent, name)
    if (queue) checkQueue(queue)
    this.name = name
    this.workflowName = `millrace.${name}`
    this.#queue = queue && this.workflowName
    this.#perResource = queue?.perResource !== undefined
    const options = {
      agent,
      run,
      openAgent: childOpener,
      isDurable: (one: object) => durables.has(one as Agent),
    }
    const work = (given: WorkflowInput): Promise<string> => unlessShutDown(workOnRun(options, given))
    const description = JSON.stringify(describeAgent(agent))
    // DBOS computes the application version from the source of the workflows. It must change with the agent.
    work.toString = () => `${workOnRun} ${FORMAT} ${description}`
    this.#work = DBOS.registerWorkflow(work, { name: this.workflowName })
    if (queue) DBOS.registerLifecycleCallback({ initialize: () => registerQueue(this.workflowName, queue) })
    durables.set(agent, this)
  }

  /**
   * Starts a run, or returns the run that has this `workflowId`. The run is durable when the promise resolves.
   * Called in a DBOS workflow of your own, it starts a child workflow.
   *
   * @throws MillraceError `RUN_NOT_FOUND` if the run with this id belongs to another resource or agent
   */
  async start(input: AgentInput, given: StartOptions = {}): Promise<DurableRun> {
    const options = requireOptions('durableAgent.start()', given, START_OPTIONS)
    const { threadId, resourceId, context, userMessageMetadata, workflowId } = options
    return this.startWorkflow(
      {
        input,
        ...(threadId !== undefined && { threadId }),
        ...(resourceId !== undefined && { resourceId }),
        ...(context && { context }),
        ...(userMessageMetadata && { userMessageMetadata }),
      },
      workflowId,
    )
  }

  /** @internal */
  async startWorkflow(given: WorkflowInput, workflowId?: string): Promise<DurableRun> {
    const { threadId, resourceId } = given
    const owner = { ...(resourceId !== undefined && { resourceId }) }
    const trace = given.trace ?? activeTrace()
    const handle = await DBOS.startWorkflow(this.#work, {
      ...(workflowId !== undefined && { workflowID: workflowId }),
      ...this.#queued(resourceId),
      workflowAttributes: {
        resourceId: ownerAttribute(resourceId),
        ...(threadId !== undefined && { threadId }),
      },
    })({ ...given, ...(trace && { trace }) })
    const { workflowID } = handle
    if (workflowId !== undefined)
      await findWorkflow(workflowID, { ...owner, workflowName: this.workflowName })
    return new DurableRun(workflowID, owner, handle)
  }

  #queued(resourceId: string | undefined) {
    if (this.#queue === undefined) return {}
    const queuePartitionKey = resourceId === undefined ? crypto.randomUUID() : `resource ${resourceId}`
    return {
      queueName: this.#queue,
      ...(this.#perResource && { enqueueOptions: { queuePartitionKey } }),
    }
  }

  /**
   * Returns a run, which any process may have started.
   *
   * @throws MillraceError `RUN_NOT_FOUND` if this agent and resource have no such run
   */
  async retrieve(workflowId: string, given: RunOwner = {}): Promise<DurableRun> {
    const owner = requireOptions('durableAgent.retrieve()', given, RUN_OWNER)
    await findWorkflow(workflowId, { ...owner, workflowName: this.workflowName })
    return new DurableRun(workflowId, owner)
  }

  /**
   * The suspended runs, oldest first: those of a resource, or, without `resourceId`, those that belong to none;
   * all with `allResources`. `threadId` and `parentWorkflowId` restrict the list further.
   */
  async suspendedRuns(filter: DurableRunFilter = {}): Promise<SuspendedDurableRun[]> {
    const { parentWorkflowId, ...ofOwner } = requireOptions(
      'durableAgent.suspendedRuns()',
      filter,
      DURABLE_RUN_FILTER,
    )
    const { threadId } = parseListRuns(ofOwner)
    const workflows = await DBOS.listWorkflows({
      workflowName: this.workflowName,
      status: 'PENDING',
      attributes: {
        ...(!filter.allResources && { resourceId: ownerAttribute(filter.resourceId) }),
        ...(threadId !== undefined && { threadId }),
      },
      ...(parentWorkflowId !== undefined && { parentWorkflowID: parentWorkflowId }),
      loadInput: false,
      loadOutput: false,
    })
    const runs = await Promise.all(
      workflows.map(async ({ workflowID: workflowId, attributes }) => {
        const { resourceId, ...thread } = attributes as { resourceId: string | null; threadId?: string }
        const owner = { ...(resourceId !== null && { resourceId }) }
        const suspension = await new DurableRun(workflowId, owner).suspension()
        return suspension ? [{ workflowId, ...owner, ...thread, ...suspension }] : []
      }),
    )
    return runs.flat()
  }
}

/** A durable agent that is used as a tool runs as a workflow of its own. */
function childOpener(runId: string, { context }: WorkflowInput): AgentOpener {
  return (call) => {
    const child = durables.get(call.agent as Agent)
    return child && openChild((given, id) => child.startWorkflow(given, id), call, { runId, context })
  }
}

function check(agent: Agent, name: string): void {
  if (!(agent instanceof Agent)) {
    throw new MillraceError(
      'CONFIG_INVALID',
      'The argument of durable() is not an Agent of this copy of @millrace/core. Pass an Agent, and install one copy only.',
    )
  }
  if (typeof name !== 'string' || name.length === 0 || name.length > 100) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `The name of the durable agent is '${String(name)}'. Use 1 to 100 characters.`,
    )
  }
  if (DBOS.isInitialized()) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `durable() was called for '${name}' after DBOS.launch(), which must know all workflows. Call durable() before it.`,
    )
  }
  if (durables.has(agent)) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `The agent '${agent.name}' is durable already, as '${durables.get(agent)?.name}'. Call durable() once for each agent.`,
    )
  }
}
