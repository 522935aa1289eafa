import { MillraceError } from '../errors.ts'

/**
 * Checks the nesting depth of an agent.
 *
 * @throws MillraceError `RUN_DEPTH_EXCEEDED`
 */
export function requireDepth(
  { agentName, maxDepth }: { agentName: string; maxDepth: number },
  agentPath: readonly string[] = [],
): void {
  if (agentPath.length <= maxDepth) return
  throw new MillraceError(
    'RUN_DEPTH_EXCEEDED',
    `The agent '${agentName}' was not called: agents already run ${maxDepth} levels deep (${agentPath.join(' → ')}), which is maxDepth of its tool. Answer without it, or raise maxDepth.`,
  )
}
