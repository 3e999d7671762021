"""The two ways in which agents elsewhere read the memory service."""

import asyncio
import sys
import tempfile
from pathlib import Path

import httpx


async def investigate_memory(memory_ids, user_id, memory_service_url, query=None):
    try:
        async with httpx.AsyncClient() as client:
            response = await client.get(
                f"{memory_service_url}/memories/full",
                params={"user_id": user_id, "ids": ",".join(memory_ids)},
                timeout=10.0,
            )
            response.raise_for_status()
            data = response.json()

        memories = data.get("memories", [])
        if not memories:
            return "No memories found with the provided IDs."

        formatted = ["## Retrieved Memories\n"]
        for mem in memories:
            formatted.append(f"### [{mem['id']}] {mem['caption']}")
            formatted.append(f"**Created:** {mem['created_at']}")
            formatted.append(f"\n{mem['full_text']}\n")
        if query:
            formatted.insert(0, f"*Investigating: {query}*\n")
        return "\n".join(formatted)
    except Exception as exc:
        return f"Error retrieving memories: {str(exc)}"


async def create_memory_research_folder(user_id, memory_ids, memory_service_url):
    async with httpx.AsyncClient() as client:
        response = await client.get(
            f"{memory_service_url}/memories/full",
            params={"user_id": user_id, "ids": ",".join(memory_ids)},
        )
        data = response.json()

    memories_path = Path(tempfile.mkdtemp(prefix="memories_"))
    for mem in data.get("memories", []):
        (memories_path / f"{mem['id']}.md").write_text(
            f"# {mem['caption']}\n\n"
            f"**ID:** {mem['id']}\n"
            f"**Created:** {mem['created_at']}\n\n"
            f"## Full Content\n\n{mem['full_text']}"
        )
    index = ["# Memory Index\n"]
    for mem in data.get("memories", []):
        index.append(f"- [{mem['id']}]({mem['id']}.md): {mem['caption']}")
    (memories_path / "INDEX.md").write_text("\n".join(index))
    return str(memories_path)


if __name__ == "__main__":
    url, user, *ids = sys.argv[1:]
    print(asyncio.run(investigate_memory(ids, user, url, "dogs")))
    print("----")
    folder = Path(asyncio.run(create_memory_research_folder(user, ids, url)))
    for file in sorted(folder.iterdir()):
        print(f"{file.name}:\n{file.read_text()}")
        file.unlink()
    folder.rmdir()
