import { DBOS } from '@dbos-inc/dbos-sdk'
import { Agent, type AgentInput, MillraceError, type RunOptions } from '@millrace/core'
import { type AgentOpener, activeTrace, describeAgent } from '@millrace/core/recording'
import { openChild } from './child-run.ts'
import { DurableRun, findWorkflow, type RunOwner } from './durable-run.ts'
import type { SuspensionInfo } from './live-run.ts'
import { checkQueue, type QueueOptions, registerQueue } from './queue.ts'
import { type WorkflowInput, workOnRun } from './run-workflow.ts'

export interface DurableOptions {
  /** Names the agent's workflows and its queue. Unique in the application, and the same in every version. Default: the agent's name. */
  name?: string
  /** Runs that are started wait in a queue for their turn, and begin in any process. Default: they begin at once, where they are started. */
  queue?: QueueOptions
  /** Options of every run: an output schema, a timeout, limits. They are not stored: every process has its own. */
  run?: Omit<RunOptions, 'threadId' | 'resourceId' | 'requestContext' | 'abortSignal'>
}

export interface StartOptions {
  /** The conversation the run belongs to. */
  threadId?: string
  /** Who owns the run: a user, a tenant. The run is found with it alone. */
  resourceId?: string
  /** The id of the run. Starting another with the same id finds that run. Default: a new one. */
  workflowId?: string
  /** The values of the run's request context. They are stored, as JSON. */
  context?: Record<string, unknown>
}

/** A run that waits to be resumed. */
export interface SuspendedDurableRun extends SuspensionInfo {
  workflowId: string
  threadId?: string
  resourceId?: string
}

/** The form in which runs are recorded. It changes when an older one can no longer be read. */
const FORMAT = 2

const durables = new WeakMap<Agent, DurableAgent>()

/**
 * Makes the runs of an agent DBOS workflows: they survive their process, begin in any process, and are read and resumed from
 * any. To be called before `DBOS.launch()`, in every process that works on such runs.
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

/** The durable form of an agent, if it has one. */
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

  constructor(agent: Agent, { name = agent.name, queue, run = {} }: DurableOptions) {
    check(agent, name)
    if (queue) checkQueue(queue)
    this.name = name
    this.workflowName = `millrace.${name}`
    this.#queue = queue && this.workflowName
    this.#perResource = queue?.perResource !== undefined
    const options = {
      agent,
      run,
      openAgent: openerFor,
      isDurable: (one: object) => durables.has(one as Agent),
    }
    const work = (given: WorkflowInput): Promise<string> => workOnRun(options, given)
    const description = JSON.stringify(describeAgent(agent))
    // DBOS makes the version of an application from the source of its workflows: another agent is another version.
    work.toString = () => `${workOnRun} ${FORMAT} ${description}`
    this.#work = DBOS.registerWorkflow(work, { name: this.workflowName })
    if (queue) DBOS.registerLifecycleCallback({ initialize: () => registerQueue(this.workflowName, queue) })
    durables.set(agent, this)
  }

  /**
   * Starts a run, or finds the one of this `workflowId`. It is durable once the promise resolves. Within a workflow of your
   * own it is a child of that.
   *
   * @throws MillraceError `RUN_NOT_FOUND` if there is a run of this id that is another resource's, or another agent's
   */
  async start(input: AgentInput, options: StartOptions = {}): Promise<DurableRun> {
    const { threadId, resourceId, context, workflowId } = options
    return this.startWorkflow(
      {
        input,
        ...(threadId !== undefined && { threadId }),
        ...(resourceId !== undefined && { resourceId }),
        ...(context && { context }),
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
      workflowAttributes: { ...owner, ...(threadId !== undefined && { threadId }) },
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
   * A run that was started here or in another process.
   *
   * @throws MillraceError `RUN_NOT_FOUND` if there is no such run of this agent and resource
   */
  async retrieve(workflowId: string, owner: RunOwner = {}): Promise<DurableRun> {
    await findWorkflow(workflowId, { ...owner, workflowName: this.workflowName })
    return new DurableRun(workflowId, owner)
  }

  /** Runs that wait to be resumed, of one resource, thread or workflow of your own, or all, the oldest first. */
  async suspendedRuns(
    filter: { threadId?: string; resourceId?: string; parentWorkflowId?: string } = {},
  ): Promise<SuspendedDurableRun[]> {
    const { parentWorkflowId, ...attributes } = filter
    const workflows = await DBOS.listWorkflows({
      workflowName: this.workflowName,
      status: 'PENDING',
      attributes,
      ...(parentWorkflowId !== undefined && { parentWorkflowID: parentWorkflowId }),
      loadInput: false,
      loadOutput: false,
    })
    const runs = await Promise.all(
      workflows.map(async ({ workflowID: workflowId, attributes: owner }) => {
        const suspension = await new DurableRun(workflowId, owner).suspension()
        return suspension ? [{ workflowId, ...owner, ...suspension }] : []
      }),
    )
    return runs.flat()
  }
}

/** Agents that are used as tools, and are durable too, run as workflows of their own. */
function openerFor(runId: string, { context }: WorkflowInput): AgentOpener {
  return (call) => {
    const child = durables.get(call.agent as Agent)
    return child && openChild((given, id) => child.startWorkflow(given, id), call, { runId, context })
  }
}

function check(agent: Agent, name: string): void {
  if (!(agent instanceof Agent)) {
    throw new MillraceError(
      'CONFIG_INVALID',
      'durable() was given something that is no Agent of this copy of @millrace/core. Pass an Agent, and install one copy.',
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
      `durable() was called for '${name}' after DBOS.launch(), which has to know all workflows. Call it before.`,
    )
  }
  if (durables.has(agent)) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `The agent '${agent.name}' is durable already, as '${durables.get(agent)?.name}'. Call durable() once for each agent.`,
    )
  }
}
