import { MillraceError, messageOf } from '../errors.ts'
import type { Processor, WarmUpArgs } from './processor.ts'

/**
 * Calls `warmUp` of each processor that has it, one after another: modules that load at the same time would block the
 * event loop longer. If one fails, the others are still called.
 *
 * @throws MillraceError `PROCESSOR_FAILED` for the first that failed
 */
export async function warmUpProcessors(processors: Iterable<Processor>, args: WarmUpArgs): Promise<void> {
  let failed: MillraceError | undefined
  for (const processor of processors) {
    try {
      await processor.warmUp?.(args)
    } catch (cause) {
      failed ??= failureOf(processor, cause)
    }
  }
  if (failed) throw failed
}

function failureOf({ id }: Processor, cause: unknown): MillraceError {
  const isOurs = MillraceError.isInstance(cause)
  // A processor made of others names the member that failed.
  if (isOurs && cause.code === 'PROCESSOR_FAILED') return cause
  return new MillraceError(
    'PROCESSOR_FAILED',
    `The processor '${id}' failed in warmUp().${isOurs ? ` ${messageOf(cause)}` : ' The cause has its error.'}`,
    { cause },
  )
}
