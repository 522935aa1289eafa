export interface Template {
  readonly name: string
  readonly about: string
  /** The scripts of the project to run after the installation. */
  readonly scripts: readonly string[]
}

/** The templates. Each is a folder of `templates/`. */
export const TEMPLATES: readonly Template[] = [
  {
    name: 'agent',
    about: 'an agent in the terminal, with guards, memory and a tool that needs approval',
    scripts: ['start', 'test'],
  },
  {
    name: 'chat-vite',
    about: 'a guarded chat in the browser on Vite and Hono, with memory and approvals',
    scripts: ['dev', 'test'],
  },
  {
    name: 'chat-next',
    about: 'the same chat on Next',
    scripts: ['dev', 'test'],
  },
  {
    name: 'worker',
    about: 'an agent on Cloudflare Workers, with a database for each person',
    scripts: ['dev', 'test'],
  },
  {
    name: 'processor',
    about: 'a processor to publish, with the conformance test of processors',
    scripts: ['test', 'build'],
  },
  {
    name: 'store',
    about: 'a store for another database: a complete one on node:sqlite, to adapt step by step',
    scripts: ['test', 'build'],
  },
]
