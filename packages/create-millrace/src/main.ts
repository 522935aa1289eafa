import { spawn } from 'node:child_process'
import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import { cancel, intro, isCancel, log, outro, select, text } from '@clack/prompts'
import { createProject } from './create-project.ts'
import { TEMPLATES } from './templates.ts'

const HELP = `npm create millrace [folder] -- [options]

  --template <name>  ${TEMPLATES.map(({ name, about }) => `${name}: ${about}`).join('\n                     ')}
  --name <name>      the name of the package; the folder's name by default
  --no-install       do not install its dependencies
  --yes              ask nothing: folder 'my-millrace', template 'agent'
  --help             this text
`

interface Flags {
  readonly folder?: string | undefined
  readonly template?: string | undefined
  readonly name?: string | undefined
  readonly install: boolean
  readonly yes: boolean
}

/**
 * The command. Asks for what the arguments leave out, creates the project and installs it. Returns the exit
 * code. Without a terminal, the defaults of `--yes` are used.
 */
export async function main(args: readonly string[]): Promise<number> {
  try {
    const flags = readFlags(args)
    if (flags === 'help') {
      process.stdout.write(HELP)
      return 0
    }
    const asks = !flags.yes && process.stdin.isTTY === true && process.stdout.isTTY === true
    if (asks) intro('Millrace')
    const answers = asks ? await ask(flags) : withDefaults(flags)
    if (!answers) {
      cancel('Nothing was written.')
      return 1
    }
    const { name, folder } = await createProject({ ...answers, name: flags.name })
    const manager = packageManager()
    const isInstalled = flags.install && (await install(manager, folder))
    const next = nextSteps({ folder, manager, isInstalled, template: answers.template })
    if (asks) outro(`${name} is ready.\n\n${next}`)
    else process.stdout.write(`${name} is ready.\n\n${next}\n`)
    return 0
  } catch (error) {
    log.error(error instanceof Error ? error.message : String(error))
    return 1
  }
}

function readFlags(args: readonly string[]): Flags | 'help' {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    allowNegative: true,
    options: {
      template: { type: 'string' },
      name: { type: 'string' },
      install: { type: 'boolean', default: true },
      yes: { type: 'boolean', short: 'y', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return 'help'
  const [folder, another] = positionals
  if (another !== undefined)
    throw new Error(`Only one folder can be created, but '${another}' is a second one. Pass one folder.`)
  return { folder, ...values }
}

function withDefaults({ folder = 'my-millrace', template = 'agent' }: Flags): {
  folder: string
  template: string
} {
  return { folder, template }
}

/** Returns nothing if the user cancels. */
async function ask(flags: Flags): Promise<{ folder: string; template: string } | undefined> {
  const template =
    flags.template ??
    (await select({
      message: 'What do you want to build?',
      options: TEMPLATES.map(({ name, about }) => ({ value: name, label: name, hint: about })),
    }))
  if (isCancel(template)) return undefined
  const folder =
    flags.folder ??
    (await text({ message: 'In which folder?', placeholder: './my-millrace', defaultValue: 'my-millrace' }))
  if (isCancel(folder)) return undefined
  return { folder, template }
}

/** The package manager that runs this command, from its user agent. */
function packageManager(): string {
  const [name = ''] = (process.env.npm_config_user_agent ?? '').split('/')
  return ['pnpm', 'yarn', 'bun'].includes(name) ? name : 'npm'
}

/** Returns whether the installation succeeded. The project is complete either way. */
async function install(manager: string, folder: string): Promise<boolean> {
  const code = await new Promise((resolve) => {
    const child = spawn(manager, ['install'], {
      cwd: folder,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    })
    child.on('error', () => resolve(1))
    child.on('close', resolve)
  })
  if (code === 0) return true
  log.warn(`\`${manager} install\` failed. Run it again in ${folder}.`)
  return false
}

function nextSteps({
  folder,
  manager,
  isInstalled,
  template,
}: {
  folder: string
  manager: string
  isInstalled: boolean
  template: string
}): string {
  const { scripts = [] } = TEMPLATES.find(({ name }) => name === template) ?? {}
  const place = relative(process.cwd(), folder)
  const run = manager === 'npm' ? 'npm run' : manager
  const steps = [
    ...(place === '' ? [] : [`cd ${place}`]),
    ...(isInstalled ? [] : [`${manager} install`]),
    ...scripts.map((script) => `${run} ${script}`),
  ]
  return steps.map((step) => `  ${step}`).join('\n')
}
