import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type AnswerRequest, ROUTES, type RunStarted, type SuspendedView } from '../../src/wire.ts'
import { KEYS } from '../api/queries.ts'
import { request } from '../api/request.ts'
import { ErrorNotice } from '../parts/empty.tsx'
import { CallsForm } from './calls-form.tsx'
import { DataForm } from './data-form.tsx'
import type { FormProps } from './form-props.ts'

interface AnswerFormProps {
  run: SuspendedView
  isReadOnly?: boolean
  /** Called with the run that continues this one. */
  onResumed: (runId: string) => void
}

/** A form for the answer that a suspended run waits for. */
export function AnswerForm({ run: { runId, waitsFor }, isReadOnly = false, onResumed }: AnswerFormProps) {
  const queries = useQueryClient()
  const answer = useMutation({
    mutationFn: (body: AnswerRequest) => request<RunStarted>(ROUTES.answer, { params: { runId }, body }),
    onSuccess: (started) => onResumed(started.runId),
    onSettled: () => queries.invalidateQueries({ queryKey: KEYS.suspended }),
  })
  const form: FormProps = { isBusy: isReadOnly || answer.isPending, onAnswer: answer.mutate }
  return (
    <>
      {waitsFor.type === 'calls' && <CallsForm calls={waitsFor.calls} {...form} />}
      {waitsFor.type === 'data' && <DataForm payload={waitsFor.payload} {...form} />}
      {waitsFor.type === 'nothing' && (
        <div className="row">
          <p className="small">The process ended during the run. Resume the run from its last step.</p>
          <button
            type="button"
            className="button primary"
            disabled={form.isBusy}
            onClick={() => form.onAnswer({ type: 'continue' })}
          >
            Continue
          </button>
        </div>
      )}
      {answer.error && <ErrorNotice error={answer.error} />}
    </>
  )
}
