import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

export interface MountedServer {
  /** Such as `http://127.0.0.1:41234`. */
  readonly origin: string
  /** Sends SIGTERM and returns the exit code. */
  end(): Promise<number | null>
  /** Kills it. */
  stop(): Promise<void>
}

const hasGroups = process.platform !== 'win32'

/** Starts a command with `PORT=0`, and reads the free port that it listens on from its output. */
export async function startServer(
  command: string,
  args: readonly string[],
  { cwd }: { cwd?: string } = {},
): Promise<MountedServer> {
  const child = spawn(command, args, {
    env: { ...process.env, PORT: '0', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group, so that child processes are killed with it.
    detached: hasGroups,
    ...(cwd !== undefined && { cwd }),
  })
  const exit = once(child, 'exit')
  const port = await portOf(child, exit)
  return {
    origin: `http://127.0.0.1:${port}`,
    async end() {
      child.kill('SIGTERM')
      const [code] = await exit
      return code
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      if (hasGroups && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      else child.kill('SIGKILL')
      await exit
    },
  }
}

async function portOf({ stdout, stderr }: ChildProcess, exit: Promise<unknown>): Promise<string> {
  let output = ''
  return await new Promise((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk
      // The port is printed in a URL, or as part of the object from `server.address()`.
      const [, port] = /(?:port: |\/\/[\w.]+:)(\d+)(?=\D)/.exec(output) ?? []
      if (port !== undefined) resolve(port)
    }
    stdout?.on('data', read)
    stderr?.on('data', read)
    exit.then(() => reject(new Error(`The server exited before it listened: ${output}`)), reject)
  })
}
