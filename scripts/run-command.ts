import { execFile } from 'node:child_process'

/** Runs a command and resolves with its output. Rejects with the output if it fails. */
export function runCommand(place: string, command: string, ...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd: place, maxBuffer: 64_000_000 }, (error, stdout, stderr) => {
      if (!error) resolve(stdout)
      else reject(new Error(`${command} ${args.join(' ')} failed in ${place}:\n${stdout}${stderr}`))
    })
  })
}
