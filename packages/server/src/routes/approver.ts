import type { RunOptions } from '@millrace/core'
import type { Context } from 'hono'
import type { Settings } from '../options.ts'
import { type Env, Refused } from './app.ts'

/** The options of a run that this caller starts or resumes: who decides, and on what. */
export function callerOptions(
  context: Context<Env>,
  { mayApprove }: Settings,
): Required<Pick<RunOptions, 'by' | 'mayAnswer'>> {
  const caller = context.get('caller')
  const request = context.req.raw
  return {
    by: caller.userId ?? caller.resourceId,
    async mayAnswer({ call, run }) {
      const isOwner = run.resourceId === caller.resourceId
      // Only the owner's client has outputs, and answers to the questions of tools.
      if (call.waitsFor !== 'approval') return isOwner
      return mayApprove ? (await mayApprove({ approver: caller, call, run, request })) === true : isOwner
    },
  }
}

/**
 * The owner of the runs that a request is about: the caller, or another resource whose runs the caller may approve.
 *
 * @throws Refused 404 if nobody may approve the runs of others
 */
export function ownerOf(context: Context<Env>, { mayApprove }: Settings, asked: string | undefined): string {
  const { resourceId } = context.get('caller')
  if (asked === undefined || asked === resourceId) return resourceId
  if (mayApprove) return asked
  throw new Refused(404, 'RUN_NOT_FOUND', 'There are no runs that this caller may approve.')
}
