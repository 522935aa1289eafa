import { useQueryClient } from '@tanstack/react-query'
import { Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { ROUTES, type RunStarted } from '../../src/wire.ts'
import { KEYS } from '../api/queries.ts'
import { request } from '../api/request.ts'
import { messageOf } from '../parts/empty.tsx'

/** Imports a run that was exported as JSON, and opens it. */
export function ImportButton() {
  const field = useRef<HTMLInputElement>(null)
  const [problem, setProblem] = useState<string>()
  const [, go] = useLocation()
  const queries = useQueryClient()
  const read = async (file: File | undefined) => {
    if (!file) return
    try {
      const body = parse(await file.text(), file.name)
      const { runId } = await request<RunStarted>(ROUTES.import, { body })
      setProblem(undefined)
      void queries.invalidateQueries({ queryKey: KEYS.runs })
      go(`/runs/${encodeURIComponent(runId)}`)
    } catch (error) {
      setProblem(messageOf(error))
    }
  }
  return (
    <>
      {problem !== undefined && (
        <p className="small" role="alert">
          {problem}
        </p>
      )}
      <input
        ref={field}
        type="file"
        accept=".json,application/json"
        className="visually-hidden"
        aria-label="Exported run"
        tabIndex={-1}
        onChange={({ target }) => {
          void read(target.files?.[0])
          target.value = ''
        }}
      />
      <button type="button" className="button" onClick={() => field.current?.click()}>
        <Upload aria-hidden size={14} /> Import
      </button>
    </>
  )
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`'${name}' is not JSON. Choose a run that Studio exported as JSON.`)
  }
}
