import { Dialog } from '@base-ui/react/dialog'
import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useId } from 'react'
import { useLocation } from 'wouter'
import {
  type MessageView,
  type ReplayRequest,
  type ReplayStarted,
  ROUTES,
  type RunDetail,
} from '../../src/wire.ts'
import { useInfo } from '../api/queries.ts'
import { request } from '../api/request.ts'
import { ErrorNotice } from '../parts/empty.tsx'
import { lastQuestion } from './last-question.ts'
import { compareAddress } from './run-links.tsx'

interface ReplayDialogProps {
  run: RunDetail
  isOpen: boolean
  onClose: () => void
}

/** Replays a run with changes, and compares both runs. */
export function ReplayDialog({ run, isOpen, onClose }: ReplayDialogProps) {
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog stack">
          <Dialog.Title className="dialog-title">Replay this run</Dialog.Title>
          <Dialog.Description className="soft small">
            Change what you want to try. Empty fields keep the original.
          </Dialog.Description>
          <ReplayForm run={run} messages={run.messages} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function ReplayForm({ run, messages }: { run: RunDetail; messages: readonly MessageView[] }) {
  const [, go] = useLocation()
  const info = useInfo()
  const id = useId()
  const question = lastQuestion(messages)
  const replay = useMutation({
    mutationFn: (body: ReplayRequest) =>
      request<ReplayStarted>(ROUTES.replay, { params: { runId: run.id }, body }),
    onSuccess: ({ originalId, runId }) => go(compareAddress(originalId, runId)),
  })
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const value = (name: string): string => String(form.get(name) ?? '').trim()
    const body: ReplayRequest = {
      ...(value('input') !== '' && value('input') !== question?.trim() && { input: value('input') }),
      ...(value('model') !== '' && { model: value('model') }),
      ...(value('processors') !== '' && { processors: value('processors') }),
      ...(value('tools') === 'execute' && { tools: 'execute' as const }),
      ...(value('instructions') !== '' && { instructions: value('instructions') }),
    }
    replay.mutate(body)
  }
  const sets = info.data?.processorSets ?? []
  const models = info.data?.models ?? []
  return (
    <form className="stack" onSubmit={submit}>
      <label className="field">
        Question
        <textarea
          name="input"
          className="input"
          rows={3}
          defaultValue={question ?? ''}
          placeholder="The original last message"
        />
      </label>
      <div className="two">
        <label className="field">
          Model
          <select
            name="model"
            className="select"
            disabled={models.length === 0}
            aria-describedby={`${id}-models`}
          >
            <option value="">As it was</option>
            {models.map((model) => (
              <option key={model}>{model}</option>
            ))}
          </select>
        </label>
        <label className="field">
          Processors
          <select
            name="processors"
            className="select"
            disabled={sets.length === 0}
            aria-describedby={`${id}-models`}
          >
            <option value="">As they were</option>
            {sets.map(({ name, processors }) => (
              <option key={name} value={name}>
                {name}: {processors.length === 0 ? 'none' : processors.join(', ')}
              </option>
            ))}
          </select>
        </label>
      </div>
      {(models.length === 0 || sets.length === 0) && (
        <p id={`${id}-models`} className="field-hint">
          To choose from models and sets of processors here, pass them to studio() as options.
        </p>
      )}
      <label className="field">
        Instructions
        <textarea name="instructions" className="input" rows={2} placeholder="The agent's instructions" />
      </label>
      <label className="field">
        Tools
        <select name="tools" className="select">
          <option value="">Return the recorded outputs; nothing is executed</option>
          <option value="execute">Are executed again, with their side effects</option>
        </select>
      </label>
      {replay.error && <ErrorNotice error={replay.error} />}
      <div className="dialog-actions">
        <Dialog.Close className="button">Cancel</Dialog.Close>
        <button type="submit" className="button primary" disabled={replay.isPending}>
          {replay.isPending ? 'Starting' : 'Replay and compare'}
        </button>
      </div>
    </form>
  )
}
