import { DBOS } from '@dbos-inc/dbos-sdk'
import { type Agent, type AgentInput, MillraceError, type RunResult, type ToolSet } from '@millrace/core'
import { durableOf, type StartOptions } from './durable.ts'

/**
 * Runs an agent as a child workflow of your own DBOS workflow, and resolves with its result. While the agent
 * is suspended, the workflow waits, in this process or another. `Promise.all` runs agents in parallel.
 *
 * @throws MillraceError `CONFIG_INVALID` outside of a workflow, or if the agent is not durable; else the
 * error of the run
 *
 * @example
 * const sources = await agentStep(researcher, question)
 * const [draft, picture] = await Promise.all([agentStep(writer, sources.text), agentStep(painter,
 * sources.text)])
 */
export async function agentStep<TOOLS extends ToolSet>(
  agent: Agent<TOOLS>,
  input: AgentInput,
  options: StartOptions = {},
): Promise<RunResult<TOOLS>> {
  const durable = durableOf(agent)
  if (!durable) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `The agent '${agent.name}' is not durable. Call durable(agent) before DBOS.launch().`,
    )
  }
  if (!DBOS.isInWorkflow()) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `agentStep() was called for '${agent.name}' outside of a DBOS workflow, or in a step. Call start() of the durable agent there.`,
    )
  }
  const run = await durable.start(input, options)
  return (await run.result()) as RunResult<TOOLS>
}
