// Packs all packages, publishes them to a local registry, and runs `create-millrace` from its tarball in an empty folder:
// each project must install, type-check, pass its tests, build and start. Chats are tested in a real browser. Arguments are
// names of templates. Needs npm and the registry that npm is configured for.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TEMPLATES } from '../packages/create-millrace/src/templates.ts'
import { type MountedServer, startServer } from '../packages/server/mounts/started-server.ts'
import { driveChat } from './drive-chat.ts'
import { startLocalRegistry } from './local-registry.ts'
import { publishedPackages, root } from './published-packages.ts'
import { runCommand } from './run-command.ts'

// The agent must start without an API key.
process.env.OPENAI_API_KEY = ''
process.env.NEXT_TELEMETRY_DISABLED = '1'
process.env.WRANGLER_SEND_METRICS = 'false'
const asked = process.argv.slice(2)
const templates = TEMPLATES.filter(({ name }) => asked.length === 0 || asked.includes(name))
/** How to start a project, and what to check then. Templates that are not listed are libraries. */
const starts: Readonly<Record<string, (project: string) => Promise<void>>> = {
  agent: mustAskForKey,
  'chat-vite': (project) =>
    use(startServer('npm', ['start'], { cwd: project }), ({ origin }) => driveChat(`${origin}/`)),
  'chat-next': (project) =>
    use(startServer('npm', ['start', '--', '--hostname', '127.0.0.1'], { cwd: project }), ({ origin }) =>
      driveChat(`${origin}/`),
    ),
  worker: (project) =>
    use(
      startServer('npm', ['run', 'dev', '--', '--ip', '127.0.0.1', '--port', '0'], { cwd: project }),
      async ({ origin }) => {
        const { status } = await fetch(`${origin}/api/threads`)
        if (status !== 401)
          throw new Error(`The worker should refuse a request without a key. Its status is ${status}.`)
      },
    ),
}

const folder = mkdtempSync(join(tmpdir(), 'millrace-create-'))
const registry = await startLocalRegistry('@millrace', join(folder, 'registry'))
try {
  const command = await publishAll()
  const place = emptyFolder('command')
  await runCommand(place, 'npm', 'install', '--no-audit', '--no-fund', command)
  for (const { name } of templates) await tryTemplate(place, name)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  registry.close()
  rmSync(folder, { recursive: true, force: true })
}

/** Returns the tarball of the command. The command has no scope, so it is not published. */
async function publishAll(): Promise<string> {
  const publisher = emptyFolder('publisher')
  let command = ''
  for (const { folder: place, manifest } of publishedPackages) {
    const tarball = join(folder, `${place.replace('/', '-')}.tgz`)
    await runCommand(join(root, place), 'pnpm', 'pack', '--out', tarball)
    if (manifest.name === 'create-millrace') command = tarball
    else await runCommand(publisher, 'npm', 'publish', tarball, '--access', 'public', '--ignore-scripts')
  }
  return command
}

async function use(
  starting: Promise<MountedServer>,
  work: (server: MountedServer) => Promise<void>,
): Promise<void> {
  const server = await starting
  try {
    await work(server)
  } finally {
    await server.stop()
  }
}

async function tryTemplate(command: string, template: string): Promise<void> {
  const parent = emptyFolder(`try-${template}`)
  const bin = join(command, 'node_modules/.bin/create-millrace')
  await runCommand(parent, bin, 'project', '--template', template, '--yes', '--no-install')
  const project = join(parent, 'project')
  writeFileSync(join(project, '.npmrc'), registry.npmrc)
  await runCommand(project, 'npm', 'install', '--no-audit', '--no-fund')
  await runCommand(project, 'npm', 'run', 'typecheck')
  await runCommand(project, 'npm', 'test')
  if (template !== 'agent') await runCommand(project, 'npm', 'run', 'build')
  await starts[template]?.(project)
  console.log(`Works: ${template}`)
}

/** Without a key, the project must fail with an error that names the key. */
async function mustAskForKey(project: string): Promise<void> {
  const message = await runCommand(project, 'npm', 'start').then(
    () => '',
    (error: Error) => error.message,
  )
  if (!message.includes('Set OPENAI_API_KEY'))
    throw new Error(`npm start should ask for a key. Its output:\n${message}`)
}

function emptyFolder(name: string): string {
  const place = join(folder, name)
  mkdirSync(place)
  writeFileSync(join(place, '.npmrc'), registry.npmrc)
  return place
}
