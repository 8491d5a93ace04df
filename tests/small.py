"""The small competitions whose twins tests download and prepare."""

SMALL = (
    "aerial-cactus-identification",
    "detecting-insults-in-social-commentary",
    "leaf-classification",
    "spaceship-titanic",
)
