import { FlaskConical, Hourglass, List, MessageSquare, Monitor, Moon, Sun } from 'lucide-react'
import { Link, useRoute } from 'wouter'
import type { Info } from '../src/wire.ts'
import type { Connection } from './api/use-live.ts'
import { useTheme } from './use-theme.ts'

interface SidebarProps {
  connection: Connection
  /** The number of suspended runs. */
  waiting: number
  info: Info | undefined
}

const CONNECTIONS: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Connection lost, reconnecting',
  refused: 'Access denied',
}

export function Sidebar({ connection, waiting, info }: SidebarProps) {
  return (
    <header className="side">
      <Link href="/" className="brand">
        <Mark />
        <span>
          Millrace <em>Studio</em>
        </span>
      </Link>
      <nav className="nav" aria-label="Studio">
        <NavLink href="/" pattern="/" also="/runs/*?" Icon={List} label="Runs" />
        <NavLink href="/waiting" pattern="/waiting" Icon={Hourglass} label="Waiting" count={waiting} />
        <NavLink href="/chat" pattern="/chat/:agent?" Icon={MessageSquare} label="Chat" />
        <NavLink href="/bench" pattern="/bench" Icon={FlaskConical} label="Bench" />
      </nav>
      <div className="side-foot">
        <p className="connection" data-state={connection} role="status">
          <span className="connection-text">
            {connection === 'live' && info?.mode === 'file'
              ? `Reading ${info.file ?? 'a file'}`
              : CONNECTIONS[connection]}
          </span>
        </p>
        <ThemeButton />
      </div>
    </header>
  )
}

interface NavLinkProps {
  href: string
  pattern: string
  /** A second URL pattern of this link. */
  also?: string
  Icon: typeof List
  label: string
  count?: number
}

function NavLink({ href, pattern, also, Icon, label, count = 0 }: NavLinkProps) {
  const [isHere] = useRoute(pattern)
  const [isBelow] = useRoute(also ?? pattern)
  return (
    <Link href={href} className="nav-link" aria-current={isHere || isBelow ? 'page' : undefined}>
      <Icon aria-hidden size={17} />
      <span>{label}</span>
      {count > 0 && (
        <span className="nav-count">
          {count}
          <span className="visually-hidden"> to answer</span>
        </span>
      )}
    </Link>
  )
}

const THEMES = {
  system: { Icon: Monitor, label: 'System' },
  light: { Icon: Sun, label: 'Light' },
  dark: { Icon: Moon, label: 'Dark' },
} as const

function ThemeButton() {
  const { theme, next } = useTheme()
  const { Icon, label } = THEMES[theme]
  return (
    <button type="button" className="button quiet" onClick={next} aria-label={`Theme: ${label}. Change it.`}>
      <Icon aria-hidden size={15} /> <span className="button-text">{label}</span>
    </button>
  )
}

/** The logo. */
function Mark() {
  return (
    <svg className="brand-mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#0b5f6b" />
      <path d="M4 20h24" stroke="#9fe3e6" strokeWidth="3" strokeLinecap="round" />
      <path d="M11 8v12M21 8v7" stroke="#fff" strokeWidth="3.5" strokeLinecap="round" />
    </svg>
  )
}
