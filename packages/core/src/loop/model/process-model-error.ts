import { MillraceError } from '../../errors.ts'
import type { ModelRequest } from '../../model/model-request.ts'
import type { Run } from '../../run/run.ts'
import type { SavedSettings } from '../../run/saved-settings.ts'
import type { Step } from '../../run/step.ts'
import { hookKit } from '../hooks-on-demand.ts'
import { ownCopy, settled } from './own-settings.ts'

/** Maximum number of retries of a step's model call that processors can request. */
const MAX_RETRIES = 2

/** Whether `processModelError` is called for this error. */
export function isModelFailure(error: unknown): error is MillraceError {
  return (
    MillraceError.isInstance(error) &&
    (error.code === 'MODEL_CALL_FAILED' || error.code === 'MODEL_STREAM_FAILED')
  )
}

/** The retry that a processor requests: with this request, or with a newly prepared one. */
export type Retry = { request: ModelRequest } | 'prepare'

/** Calls `processModelError` of each processor, in order. The first that requests a retry decides. */
export async function processModelError(
  run: Run,
  step: Step,
  { error, request }: { error: MillraceError; request: ModelRequest },
): Promise<Retry | undefined> {
  const attempt = step.state.modelFailures + 1
  if (attempt > MAX_RETRIES || !run.pipeline.processModelError) return undefined
  const own = ownCopy(request)
  step.state.modelError = { code: error.code, message: error.message }
  return hookKit().askEach<'processModelError', Retry>(run, 'processModelError', {
    step,
    args: () => ({ error, attempt, request: own }),
    given: () => ({ values: own.prompt }),
    apply(result, record, { id }) {
      record.recordAction('retried')
      if ('prepare' in result) return 'prepare'
      if (result.request) saveChanges(step, result.request, id)
      return { request: settled({ ...own, ...result.request }, request) }
    },
  })
}

/** Stores the changes of the step, in case the next attempt is suspended. */
function saveChanges(step: Step, changes: Partial<ModelRequest>, processorId: string): void {
  if (!step.state.settings) return
  const { model, prompt, tools, structuredOutput, ...settings } = changes
  const isObject = prompt || tools || structuredOutput || typeof model === 'object'
  step.state.settings = {
    ...step.state.settings,
    ...(Object.fromEntries(
      Object.entries(settings).filter(([, value]) => value !== undefined),
    ) as Partial<SavedSettings>),
    ...(typeof model === 'string' && { modelId: model }),
    ...(isObject && { replacedBy: processorId }),
  }
}
