import type { WaitingCall } from '../../src/wire.ts'
import { JsonView } from '../parts/text-view.tsx'

/** A tool call with its input. */
export function CallInput({ call: { toolName, input, reason, agentName } }: { call: WaitingCall }) {
  return (
    <div className="stack call-input">
      <p className="row">
        <strong className="code">{toolName}</strong>
        {agentName !== undefined && <span className="soft small">of {agentName}</span>}
        {reason !== undefined && <span className="soft small">{reason}</span>}
      </p>
      <div className="well">
        <JsonView text={input} />
      </div>
    </div>
  )
}
