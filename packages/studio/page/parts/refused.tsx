import { KeyRound } from 'lucide-react'
import { Empty } from './empty.tsx'

/** Shown where the server does not take the token of this browser. */
export function Refused() {
  return (
    <div className="page">
      <h1 className="visually-hidden">Not allowed in</h1>
      <Empty Icon={KeyRound} title="Open the link that Studio printed">
        <p>
          Studio shows what was said, so it lets in only who has its token. A new one is made at each start:
          the link in the terminal ends in <code>#token=…</code>.
        </p>
      </Empty>
    </div>
  )
}
