import { DBOS } from '@dbos-inc/dbos-sdk'
import { type Agent, type AgentInput, MillraceError, type RunResult, type ToolSet } from '@millrace/core'
import { durableOf, type StartOptions } from './durable.ts'

/**
 * Runs an agent in a DBOS workflow of your own, as a child of it, and resolves with how it ended. The workflow waits while
 * the agent is suspended, in this process or another. Agents run side by side in `Promise.all`.
 *
 * @throws MillraceError `CONFIG_INVALID` outside of a workflow, or for an agent that is not durable; else that of the run
 *
 * @example
 * const sources = await agentStep(researcher, question)
 * const [draft, picture] = await Promise.all([agentStep(writer, sources.text), agentStep(painter, sources.text)])
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
      `agentStep() was called for '${agent.name}' outside of a DBOS workflow, or within a step. Use start() there.`,
    )
  }
  const run = await durable.start(input, options)
  return (await run.result()) as RunResult<TOOLS>
}
