import { KeyRound } from 'lucide-react'
import { Empty } from './empty.tsx'

/** Shown if the server refuses the token of this browser. */
export function AccessDenied() {
  return (
    <div className="page">
      <h1 className="visually-hidden">Access denied</h1>
      <Empty Icon={KeyRound} title="Open the link that Studio printed">
        <p>
          Studio shows conversations, so every request needs its token. Each start creates a new one: the link
          in the terminal ends in <code>#token=…</code>.
        </p>
      </Empty>
    </div>
  )
}
