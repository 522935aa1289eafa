// Packs every package, publishes them to a registry of its own, and uses `create-millrace` from its tarball in an empty folder:
// each project must install, type-check, pass its tests and build. Needs npm and the registry that npm is configured for.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TEMPLATES } from '../packages/create-millrace/src/templates.ts'
import { startLocalRegistry } from './local-registry.ts'
import { publishedPackages, root } from './published-packages.ts'
import { runCommand } from './run-command.ts'

// The agent is to start without one.
process.env.OPENAI_API_KEY = ''
const folder = mkdtempSync(join(tmpdir(), 'millrace-create-'))
const registry = await startLocalRegistry('@millrace', join(folder, 'registry'))
try {
  const command = await publishAll()
  const place = emptyFolder('command')
  await runCommand(place, 'npm', 'install', '--no-audit', '--no-fund', command)
  for (const { name } of TEMPLATES) await tryTemplate(place, name)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  registry.close()
  rmSync(folder, { recursive: true, force: true })
}

/** Returns the tarball of the command. Its name has no scope, so it is not sent anywhere. */
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

async function tryTemplate(command: string, template: string): Promise<void> {
  const parent = emptyFolder(`try-${template}`)
  const bin = join(command, 'node_modules/.bin/create-millrace')
  await runCommand(parent, bin, 'project', '--template', template, '--yes', '--no-install')
  const project = join(parent, 'project')
  writeFileSync(join(project, '.npmrc'), registry.npmrc)
  await runCommand(project, 'npm', 'install', '--no-audit', '--no-fund')
  await runCommand(project, 'npm', 'run', 'typecheck')
  await runCommand(project, 'npm', 'test')
  if (template === 'agent') await mustAskForKey(project)
  else await runCommand(project, 'npm', 'run', 'build')
  console.log(`Works: ${template}`)
}

/** Without a key, it says what to do, and does not fail in some other way. */
async function mustAskForKey(project: string): Promise<void> {
  const message = await runCommand(project, 'npm', 'start').then(
    () => '',
    (error: Error) => error.message,
  )
  if (!message.includes('Set OPENAI_API_KEY'))
    throw new Error(`npm start was to ask for a key, and said:\n${message}`)
}

function emptyFolder(name: string): string {
  const place = join(folder, name)
  mkdirSync(place)
  writeFileSync(join(place, '.npmrc'), registry.npmrc)
  return place
}
